//! Builds the statements that make the objects of a plan, and the call of its method.

use super::description::indices;
use super::expressions::Helper;
use super::literals;
use super::plan::{Array, Content, Object, Plan, Value};
use crate::Unreproducible;
use crate::order;
use aback_lang_csharp::{CsType, DeclaredField, Shape, Use, escaped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Longest expression, in characters, that is written at its only use instead of into a variable.
const INLINE: usize = 60;
/// Longest array, in elements, that is written as an array initializer.
const WRITTEN_OUT: u64 = 16;
/// Longest array, in elements, that is written so if at least half of its elements differ from the default.
const DENSE: u64 = 200;

/// Names that variables do not have: they would hide classes, methods or other variables.
const RESERVED: [&str; 11] =
    ["Run", "Main", "Check", "Listener", "System", "Xunit", "Assert", "method", "arguments", "result", "thrown"];

/// How statements refer to an object.
#[derive(Clone)]
pub(super) enum Made {
    /// By the expression that makes it, at its only use.
    Inline(String),
    /// By the variable with this name, and its type if sources can name it. Otherwise, the variable is an `object` or a
    /// `System.Array`.
    Variable(String, Option<CsType>),
}

/// A part of an object that is written once all objects exist.
struct Later {
    owner: usize,
    place: Place,
    value: Value,
}

#[derive(Clone)]
pub(super) enum Place {
    Field(DeclaredField),
    Element(u64),
    /// All elements.
    All,
}

/// The expression that makes an object, and the parts that remain to be written.
pub(super) type Creation = (String, Vec<(Place, Value)>);

/// The call of the entry point.
#[derive(Default)]
pub(crate) struct Call {
    /// The statements that make spans, which lambda expressions cannot capture.
    pub(crate) before: Vec<String>,
    /// An expression.
    pub(crate) text: String,
    /// Whether it reads a property, so that it alone is no statement.
    pub(crate) is_read: bool,
    /// Whether it is made by reflection, so that it is an `object`.
    pub(crate) is_reflected: bool,
}

impl Call {
    /// The statements that make the call and do not use its result.
    pub(crate) fn statements(&self) -> Vec<String> {
        let last = if self.is_read { format!("_ = {};", self.text) } else { format!("{};", self.text) };
        self.before.iter().cloned().chain([last]).collect()
    }
}

/// Writes statements.
pub(crate) struct Builder<'a> {
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) helpers: BTreeSet<Helper>,
    /// Types whose objects need reflection, because neither constructors nor writable fields can make them.
    pub(crate) unmade: BTreeSet<String>,
    /// The statements that make the heap.
    pub(crate) statements: Vec<String>,
    pub(crate) call: Call,
    /// The variables to which arguments are references: their number in the plan, the expression that reads it, and whether
    /// that has their type. Otherwise, it is an `object`.
    pub(crate) variables: Vec<(usize, String, bool)>,
    pub(super) made: FxHashMap<usize, Made>,
    /// Number of places that refer to each object.
    uses: FxHashMap<usize, usize>,
    /// Preferred names for the variables of objects.
    pub(super) wished: FxHashMap<usize, String>,
    taken: FxHashSet<String>,
    later: Vec<Later>,
}

impl<'a> Builder<'a> {
    /// Writes the statements of a plan.
    ///
    /// # Errors
    /// No program can make an object.
    pub(crate) fn build(plan: &'a Plan<'a>) -> Result<Self, Unreproducible> {
        let mut builder = Builder {
            plan,
            helpers: BTreeSet::new(),
            unmade: BTreeSet::new(),
            statements: Vec::new(),
            call: Call::default(),
            variables: Vec::new(),
            made: FxHashMap::default(),
            uses: FxHashMap::default(),
            wished: FxHashMap::default(),
            taken: FxHashSet::default(),
            later: Vec::new(),
        };
        builder.count_uses()?;
        match plan.method.by {
            Use::Never => builder.call_by_reflection()?,
            _ => builder.call()?,
        }
        Ok(builder)
    }

    // ---- objects ------------------------------------------------------------------------------------------------

    fn count_uses(&mut self) -> Result<(), Unreproducible> {
        let arguments = self.plan.receiver.iter().chain(&self.plan.arguments);
        let mut roots: Vec<usize> = arguments.flat_map(|argument| self.targets(argument)).collect();
        self.plan.making.iter().flat_map(|step| &step.arguments).for_each(|value| value.targets(&mut roots));
        self.uses = order::uses(roots, |number| self.children(number))?;
        Ok(())
    }

    /// The objects to which an object refers, in order.
    fn children(&self, number: usize) -> Result<Vec<usize>, Unreproducible> {
        Ok(self.plan.objects.get(&number).map(Object::targets).unwrap_or_default())
    }

    /// Makes an object after the objects to which it refers. References along cycles are written later.
    pub(super) fn make(&mut self, root: usize) -> Result<(), Unreproducible> {
        let order =
            order::children_first(root, |number| self.made.contains_key(&number), |number| self.children(number))?;
        order.into_iter().try_for_each(|number| self.make_one(number))
    }

    fn make_one(&mut self, number: usize) -> Result<(), Unreproducible> {
        let plan = self.plan;
        let object = plan.objects.get(&number);
        let object = object.ok_or_else(|| Unreproducible::Object(format!("there is no object {number}")))?;
        let (ty, (text, rest)) = match object {
            Object::String(units) => (None, (literals::string(units), Vec::new())),
            Object::Instance(ty, fields) => (Some(*ty), self.new_object(*ty, fields)?),
            Object::Box(value) => {
                let text = self.new_box(value)?;
                (None, text)
            }
            Object::Array(array) => (Some(array.ty), self.new_array(array)?),
            Object::Made(_) => {
                return Err(Unreproducible::Object("an object is used before a call makes it".into()));
            }
            Object::Held(field) => {
                self.helpers.insert(Helper::Held);
                let name = literals::quoted(&field.name.encode_utf16().collect::<Vec<_>>());
                let held = format!("Held({}, {name})", self.type_object(field.owner)?);
                match self.named(field.ty) {
                    Some(name) => (Some(field.ty), (format!("({name}){held}"), Vec::new())),
                    None => (None, (held, Vec::new())),
                }
            }
        };
        let wished = self.wished.get(&number).cloned();
        let is_used_once = self.uses.get(&number) == Some(&1);
        if rest.is_empty() && is_used_once && wished.is_none() && text.chars().count() <= INLINE {
            self.made.insert(number, Made::Inline(text));
            return Ok(());
        }
        let named = ty.and_then(|ty| self.named(ty));
        let declared = match (&named, object) {
            (Some(name), _) => name.clone(),
            (None, Object::String(_)) => "string".into(),
            (None, Object::Array(_)) => "System.Array".into(),
            (None, _) => "object".into(),
        };
        let name = match (wished, object) {
            (Some(wished), _) => self.take(&wished),
            (None, Object::Instance(ty, _)) => self.take(&self.variable_for(*ty)),
            (None, Object::String(_)) => self.take("text"),
            (None, Object::Array(_)) => self.take("array"),
            (None, Object::Box(_) | Object::Held(_) | Object::Made(_)) => self.take("value"),
        };
        let own = match object {
            // Every place that takes a string can name its type.
            Object::String(_) => None,
            _ => ty.filter(|_| named.is_some()),
        };
        self.made.insert(number, Made::Variable(name.clone(), own));
        self.statements.push(format!("{declared} {name} = {text};"));
        for (place, value) in rest {
            match self.is_available(&value) {
                true => self.fill(number, &place, &value)?,
                false => self.later.push(Later { owner: number, place, value }),
            }
        }
        Ok(())
    }

    /// Whether all objects to which a value refers have been made.
    pub(super) fn is_available(&self, value: &Value) -> bool {
        let mut targets = Vec::new();
        value.targets(&mut targets);
        targets.iter().all(|target| self.made.contains_key(target))
    }

    /// Whether an object has been made with all its parts.
    pub(super) fn is_complete(&self, object: usize) -> bool {
        self.made.contains_key(&object) && self.later.iter().all(|later| later.owner != object)
    }

    /// Writes the references that close cycles.
    pub(super) fn connect(&mut self) -> Result<(), Unreproducible> {
        for Later { owner, place, value } in std::mem::take(&mut self.later) {
            self.fill(owner, &place, &value)?;
        }
        Ok(())
    }

    fn fill(&mut self, owner: usize, place: &Place, value: &Value) -> Result<(), Unreproducible> {
        let Some(Made::Variable(name, own)) = self.made.get(&owner).cloned() else { return Ok(()) };
        let can_name = own.is_some() && self.named(value.ty).is_some();
        let lengths = match self.plan.objects.get(&owner) {
            Some(Object::Array(array)) => array.lengths.clone(),
            _ => Vec::new(),
        };
        let statement = match place {
            Place::Field(DeclaredField { settable: Some(field), .. }) if can_name => {
                format!("{name}.{} = {};", escaped(field), self.typed(value)?)
            }
            Place::Field(field) => {
                self.helpers.insert(Helper::Set);
                if let Some(Object::Instance(ty, _)) = self.plan.objects.get(&owner) {
                    self.is_unmade(*ty);
                }
                let owner = self.type_object(field.owner)?;
                let quoted = literals::quoted(&field.name.encode_utf16().collect::<Vec<_>>());
                format!("Set({owner}, {name}, {quoted}, {});", self.boxed(value)?)
            }
            Place::Element(position) => {
                let at: Vec<String> = indices(*position, &lengths).iter().map(u64::to_string).collect();
                match can_name {
                    true => format!("{name}[{}] = {};", at.join(", "), self.typed(value)?),
                    false => format!("{name}.SetValue({}, {});", self.boxed(value)?, at.join(", ")),
                }
            }
            Place::All if can_name && lengths.len() == 1 => {
                format!("System.Array.Fill({name}, {});", self.boxed(value)?)
            }
            Place::All => {
                self.helpers.insert(Helper::Fill);
                format!("Fill({name}, {});", self.boxed(value)?)
            }
        };
        self.statements.push(statement);
        Ok(())
    }

    /// Notes that objects of a type need reflection.
    pub(super) fn is_unmade(&mut self, ty: CsType) {
        self.unmade.extend(self.plan.declarations.shown_name(ty).map(|name| name.replace('+', ".")));
    }

    fn new_box(&mut self, value: &Value) -> Result<Creation, Unreproducible> {
        if self.is_available(value) {
            return Ok((self.boxed(value)?, Vec::new()));
        }
        let Content::Struct(fields) = &value.content else {
            return Err(Unreproducible::Object("a box refers to itself".into()));
        };
        // The box is part of a cycle: its fields are written once all objects exist.
        self.helpers.insert(Helper::Make);
        let declared = self.plan.declarations.fields(value.ty).map_err(Unreproducible::Object)?;
        let mut rest = Vec::new();
        for (name, value) in fields {
            if let Some(field) = declared.iter().find(|field| field.name == *name) {
                rest.push((Place::Field(field.clone()), value.clone()));
            }
        }
        Ok((format!("Make({})", self.type_object(value.ty)?), rest))
    }

    fn new_array(&mut self, array: &Array) -> Result<Creation, Unreproducible> {
        let mut rest = Vec::new();
        if !array.rest.is_default() {
            rest.push((Place::All, array.rest.clone()));
        }
        let elements = array.elements.iter().map(|(&at, value)| (Place::Element(at), value.clone()));
        let Some(name) = self.named(array.ty) else {
            let lengths: Vec<String> = array.lengths.iter().map(u64::to_string).collect();
            let element = self.type_object(array.element)?;
            rest.extend(elements);
            return Ok((format!("System.Array.CreateInstance({element}, {})", lengths.join(", ")), rest));
        };
        if let [size] = array.lengths[..] {
            let count = array.elements.len() as u64;
            let is_written_out = (count > 0 || !rest.is_empty() && size > 0)
                && (size <= WRITTEN_OUT || (size <= DENSE && 2 * count >= size))
                && array.elements.values().chain([&array.rest]).all(|value| self.is_available(value));
            if is_written_out {
                let mut texts = Vec::new();
                for position in 0..size {
                    texts.push(self.typed(array.elements.get(&position).unwrap_or(&array.rest))?);
                }
                return Ok((format!("new {name} {{ {} }}", texts.join(", ")), Vec::new()));
            }
        }
        rest.extend(elements);
        // The lengths belong into the first brackets after the type of the innermost elements.
        let mut innermost = array.element;
        while let Shape::Array(inner) | Shape::Grid(inner, _) = self.plan.declarations.shape(innermost) {
            innermost = inner;
        }
        let base = self.named(innermost).map_or(0, |base| base.len());
        let lengths: Vec<String> = array.lengths.iter().map(u64::to_string).collect();
        let (base, brackets) = name.split_at_checked(base).unwrap_or((&name, ""));
        let inner = brackets.split_once(']').map_or("", |(_, inner)| inner);
        Ok((format!("new {base}[{}]{inner}", lengths.join(", ")), rest))
    }

    // ---- names --------------------------------------------------------------------------------------------------

    /// The name of the class of assertions in tests.
    pub(super) fn assertions(&self) -> &'static str {
        if self.plan.declarations.hides("Assert") { "Xunit.Assert" } else { "Assert" }
    }

    /// An expression for a reference to an object, where a type is expected.
    pub(crate) fn reference(&self, target: usize, expected: CsType, is_object: bool) -> Result<String, Unreproducible> {
        let missing = || Unreproducible::Object(format!("object {target} has not been created yet"));
        let object = self.plan.objects.get(&target);
        let (text, own) = match self.made.get(&target).ok_or_else(missing)? {
            Made::Inline(text) => {
                let own = match object {
                    Some(Object::Instance(ty, _)) => Some(*ty).filter(|&ty| self.named(ty).is_some()),
                    Some(Object::Array(array)) => Some(array.ty).filter(|&ty| self.named(ty).is_some()),
                    _ => None,
                };
                (text.clone(), own)
            }
            Made::Variable(name, own) => (name.clone(), *own),
        };
        let declarations = self.plan.declarations;
        let is_known = is_object || declarations.is_object(expected) || matches!(object, Some(Object::String(_)));
        Ok(match (self.named(expected), own) {
            _ if is_known => text,
            (Some(name), None) => format!("({name}){text}"),
            (Some(name), Some(own)) if own != expected && self.is_array_of_numbers(own) => {
                format!("({name})(object){text}")
            }
            _ => text,
        })
    }

    /// Whether a type is an array of numbers, or of such arrays. The runtime casts these to arrays of enums and of numbers
    /// with the other sign, which the language does only where it knows no more than `object`.
    pub(super) fn is_array_of_numbers(&self, ty: CsType) -> bool {
        let declarations = self.plan.declarations;
        let (mut innermost, mut shape) = (ty, declarations.shape(ty));
        while let Shape::Array(inner) | Shape::Grid(inner, _) = shape {
            (innermost, shape) = (inner, declarations.shape(inner));
        }
        let is_number = matches!(shape, Shape::Int { .. } | Shape::Enum(_) | Shape::Char | Shape::Native { .. });
        innermost != ty && is_number
    }

    /// A variable name for an object of a type: `node` for `N.Node`.
    pub(super) fn variable_for(&self, ty: CsType) -> String {
        let name = self.plan.declarations.shown_name(ty).unwrap_or_default();
        let simple = name.split(['[', '`']).next().unwrap_or_default().rsplit(['.', '+']).next().unwrap_or_default();
        let mut chars = simple.chars();
        identifier(&chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect()))
    }

    /// Takes an unused name for a variable.
    pub(super) fn take(&mut self, wished: &str) -> String {
        let is_helper = |name: &str| Helper::ALL.iter().any(|helper| helper.source().0 == name);
        let is_free = |builder: &Self, name: &str| {
            // A variable would hide a class or namespace of the same name.
            !builder.taken.contains(name)
                && !RESERVED.contains(&name)
                && !is_helper(name)
                && !builder.plan.declarations.hides(name)
        };
        let mut name = wished.to_string();
        let mut number = 1;
        while !is_free(self, &name) {
            number += 1;
            name = format!("{wished}{number}");
        }
        self.taken.insert(name.clone());
        escaped(&name)
    }
}

/// A valid identifier from a name: `args` for `args`, `value` where nothing is left.
pub(super) fn identifier(name: &str) -> String {
    let cleaned: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    match cleaned.chars().next() {
        None => "value".into(),
        Some('_') if cleaned.len() == 1 => "value".into(),
        Some(first) if first.is_ascii_digit() => format!("value{cleaned}"),
        Some(_) => cleaned,
    }
}
