//! Builds the statements that make the objects of a plan, and the call of its method.

use super::description::indices;
use super::expressions::Helper;
use super::literals;
use super::plan::{Argument, Array, Content, Object, Plan, Value};
use crate::Unreproducible;
use crate::constructor::{Source, effect};
use aback_ir::Const;
use aback_lang_csharp::{CsType, DeclaredField, DeclaredMethod, Shape, Use, escaped};
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Longest expression, in characters, that is written at its only use instead of into a variable.
const INLINE: usize = 60;
/// Longest array, in elements, that is written as an array initializer.
const WRITTEN_OUT: u64 = 16;
/// Longest array, in elements, that is written so if at least half of its elements differ from the default.
const DENSE: u64 = 200;

/// How statements refer to an object.
#[derive(Clone)]
enum Made {
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
enum Place {
    Field(DeclaredField),
    Element(u64),
    /// All elements.
    All,
}

/// The expression that makes an object, and the parts that remain to be written.
type Creation = (String, Vec<(Place, Value)>);

/// Writes statements.
pub(crate) struct Builder<'a> {
    pub(crate) plan: &'a Plan<'a>,
    pub(crate) helpers: BTreeSet<Helper>,
    /// The statements that make the heap and call the entry point.
    pub(crate) statements: Vec<String>,
    made: FxHashMap<usize, Made>,
    /// Number of places that refer to each object.
    uses: FxHashMap<usize, usize>,
    /// Preferred names for the variables of objects.
    wished: FxHashMap<usize, String>,
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
            statements: Vec::new(),
            made: FxHashMap::default(),
            uses: FxHashMap::default(),
            wished: FxHashMap::default(),
            taken: FxHashSet::default(),
            later: Vec::new(),
        };
        builder.count_uses();
        match plan.method.by {
            Use::Never => builder.call_by_reflection()?,
            _ => builder.call()?,
        }
        Ok(builder)
    }

    // ---- the call -----------------------------------------------------------------------------------------------

    /// The objects to which an argument refers.
    fn targets(&self, argument: &Argument) -> Vec<usize> {
        let mut found = Vec::new();
        match argument {
            Argument::Value(value) | Argument::Span(_, value, ..) => value.targets(&mut found),
            Argument::Variable(number) => self.plan.variables[*number].targets(&mut found),
        }
        found
    }

    fn names(&self) -> Vec<String> {
        let receiver = self.plan.receiver.iter().map(|_| self.variable_for(self.plan.method.owner));
        let params = self.plan.method.params.iter().map(|param| match &param.name[..] {
            "" => "value".to_string(),
            name => identifier(name),
        });
        receiver.chain(params).collect()
    }

    fn call(&mut self) -> Result<(), Unreproducible> {
        let plan = self.plan;
        let names = self.names();
        let all: Vec<&Argument> = plan.receiver.iter().chain(&plan.arguments).collect();
        for (name, argument) in names.iter().zip(&all) {
            if let Argument::Value(Value { content: Content::Ref(target), .. }) = argument {
                self.wished.entry(*target).or_insert_with(|| name.clone());
            }
        }
        let mut variables: FxHashMap<usize, String> = FxHashMap::default();
        let mut texts = Vec::new();
        let types = plan.receiver.iter().map(|_| plan.method.owner).chain(plan.method.params.iter().map(|one| one.ty));
        for ((name, argument), ty) in names.iter().zip(&all).zip(types) {
            for target in self.targets(argument) {
                self.make(target)?;
            }
            texts.push(match argument {
                Argument::Value(value) => self.argument(name, value, ty)?,
                Argument::Variable(number) => match variables.get(number) {
                    Some(known) => known.clone(),
                    None => {
                        let value = &plan.variables[*number];
                        let text = self.declare(name, value)?;
                        variables.insert(*number, text.clone());
                        text
                    }
                },
                Argument::Span(ty, array, start, length) => {
                    let name = self.take(name);
                    let ty = self.named(*ty).unwrap_or_default();
                    let array = self.typed(array)?;
                    self.statements.push(format!("{ty} {name} = new {ty}({array}, {start}, {length});"));
                    name
                }
            });
        }
        self.connect()?;
        let method = &plan.method;
        let receiver = plan.receiver.as_ref().map(|_| texts.remove(0));
        let passed: Vec<String> = texts
            .into_iter()
            .zip(&method.params)
            .map(|(text, param)| match plan.declarations.shape(param.ty) {
                Shape::Pointer(_) if param.is_in => format!("in {text}"),
                Shape::Pointer(_) if param.is_out => format!("out {text}"),
                Shape::Pointer(_) => format!("ref {text}"),
                _ => text,
            })
            .collect();
        let statement = self.use_of(method, receiver, &passed)?;
        self.statements.push(statement);
        Ok(())
    }

    /// The statement that uses a method.
    fn use_of(
        &self,
        method: &DeclaredMethod,
        receiver: Option<String>,
        passed: &[String],
    ) -> Result<String, Unreproducible> {
        let unnameable = || Unreproducible::Entry("sources cannot name the entry point".into());
        let owner = self.named(method.owner).ok_or_else(unnameable)?;
        let object = receiver.unwrap_or_else(|| owner.clone());
        let list = passed.join(", ");
        Ok(match &method.by {
            Use::New => format!("new {owner}({list});"),
            Use::Call => {
                let arguments: Option<Vec<String>> = method.arguments.iter().map(|&ty| self.named(ty)).collect();
                let arguments = arguments.ok_or_else(unnameable)?;
                let own = if arguments.is_empty() { String::new() } else { format!("<{}>", arguments.join(", ")) };
                format!("{object}.{}{own}({list});", escaped(&method.name))
            }
            Use::Get(name) if passed.is_empty() => format!("_ = {object}.{};", escaped(name)),
            Use::Get(_) => format!("_ = {object}[{list}];"),
            Use::Set(name) => match passed {
                [value] => format!("{object}.{} = {value};", escaped(name)),
                [indices @ .., value] => format!("{object}[{}] = {value};", indices.join(", ")),
                [] => return Err(unnameable()),
            },
            Use::Never => return Err(unnameable()),
        })
    }

    /// An argument of a type: a variable that has exactly this type, so that the compiler selects the right overload.
    fn argument(&mut self, name: &str, value: &Value, ty: CsType) -> Result<String, Unreproducible> {
        if let Content::Ref(target) = value.content
            && let Some(Made::Variable(variable, own)) = self.made.get(&target).cloned()
            && self.wished.get(&target).is_some_and(|wished| wished == name)
        {
            return Ok(match (own == Some(ty), self.named(ty)) {
                (true, _) | (_, None) => variable,
                (false, Some(ty)) if self.plan.receiver.is_some() || self.is_overloaded() || own.is_none() => {
                    format!("(({ty}){variable})")
                }
                (false, Some(_)) => variable,
            });
        }
        self.declare(name, value)
    }

    fn is_overloaded(&self) -> bool {
        self.plan.declarations.is_overloaded(&self.plan.method)
    }

    /// Declares a variable of a value's type.
    fn declare(&mut self, name: &str, value: &Value) -> Result<String, Unreproducible> {
        let name = self.take(name);
        let text = match self.named(value.ty) {
            Some(ty) => format!("{ty} {name} = {};", self.typed(value)?),
            None => format!("object {name} = {};", self.boxed(value)?),
        };
        self.statements.push(text);
        Ok(name)
    }

    fn call_by_reflection(&mut self) -> Result<(), Unreproducible> {
        let plan = self.plan;
        let method = &plan.method;
        let count = plan.variables.len();
        let (mut values, mut variables) = (Vec::new(), Vec::new());
        let names = self.names();
        for (index, argument) in plan.receiver.iter().chain(&plan.arguments).enumerate() {
            for target in self.targets(argument) {
                self.make(target)?;
            }
            variables.push(match argument {
                Argument::Variable(number) => number.to_string(),
                _ => (count + index).to_string(),
            });
            let text = match argument {
                Argument::Variable(number) => self.boxed(&plan.variables[*number])?,
                Argument::Value(value) => self.boxed(value)?,
                Argument::Span(_, array, start, length) => {
                    format!("new object[] {{ {}, {start}, {length} }}", self.boxed(array)?)
                }
            };
            let name = self.take(&names[index]);
            self.statements.push(format!("object {name} = {text};"));
            values.push(name);
        }
        self.connect()?;
        let array = |ty: &str, items: Vec<String>| match items.is_empty() {
            true => format!("new {ty}[0]"),
            false => format!("new {ty}[] {{ {} }}", items.join(", ")),
        };
        let quoted = literals::quoted(&method.name.encode_utf16().collect::<Vec<_>>());
        let mut found = vec![self.type_object(method.owner)?, quoted];
        let own: Result<Vec<String>, _> = method.arguments.iter().map(|&ty| self.type_object(ty)).collect();
        found.push(array("System.Type", own?));
        for param in &method.params {
            found.push(self.type_object(param.ty)?);
        }
        self.helpers.extend([Helper::Method, Helper::Call]);
        self.statements.push(format!("System.Reflection.MethodBase method = Method({});", found.join(", ")));
        let (values, variables) = (array("object", values), array("int", variables));
        self.statements.push(format!("Call(method, {values}, {variables});"));
        Ok(())
    }

    // ---- objects ------------------------------------------------------------------------------------------------

    fn count_uses(&mut self) {
        let arguments = self.plan.receiver.iter().chain(&self.plan.arguments);
        let mut pending: Vec<usize> = arguments.flat_map(|argument| self.targets(argument)).collect();
        while let Some(number) = pending.pop() {
            let uses = self.uses.entry(number).or_default();
            *uses += 1;
            if *uses == 1
                && let Some(object) = self.plan.objects.get(&number)
            {
                pending.extend(object.targets());
            }
        }
    }

    /// Makes an object after the objects to which it refers. References along cycles are written later.
    fn make(&mut self, root: usize) -> Result<(), Unreproducible> {
        // An object is pushed a second time, below its children, to be made after them.
        let mut stack = vec![(root, false)];
        let mut open = FxHashSet::default();
        while let Some((number, is_ready)) = stack.pop() {
            if self.made.contains_key(&number) {
                continue;
            }
            if is_ready {
                self.make_one(number)?;
            } else if open.insert(number) {
                stack.push((number, true));
                let children = self.plan.objects.get(&number).map(Object::targets).unwrap_or_default();
                stack.extend(
                    children.into_iter().rev().filter(|child| !open.contains(child)).map(|child| (child, false)),
                );
            }
        }
        Ok(())
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
            (None, Object::Box(_) | Object::Held(_)) => self.take("value"),
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
    fn is_available(&self, value: &Value) -> bool {
        let mut targets = Vec::new();
        value.targets(&mut targets);
        targets.iter().all(|target| self.made.contains_key(target))
    }

    /// Writes the references that close cycles.
    fn connect(&mut self) -> Result<(), Unreproducible> {
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

    fn new_object(&mut self, ty: CsType, fields: &[(DeclaredField, Value)]) -> Result<Creation, Unreproducible> {
        if let Some((text, rest)) = self.by_constructor(ty, fields)? {
            let is_direct = |(place, value): &(Place, Value)| {
                matches!(place, Place::Field(DeclaredField { settable: Some(_), .. }))
                    && self.is_available(value)
                    && self.named(value.ty).is_some()
            };
            if !rest.is_empty() && rest.iter().all(is_direct) {
                let mut parts = Vec::new();
                for (place, value) in &rest {
                    if let Place::Field(DeclaredField { settable: Some(name), .. }) = place {
                        parts.push(format!("{} = {}", escaped(name), self.typed(value)?));
                    }
                }
                let text = text.strip_suffix("()").unwrap_or(&text);
                return Ok((format!("{text} {{ {} }}", parts.join(", ")), Vec::new()));
            }
            return Ok((text, rest));
        }
        self.helpers.insert(Helper::Make);
        let made = format!("Make({})", self.type_object(ty)?);
        let text = match self.named(ty) {
            Some(name) => format!("({name}){made}"),
            None => made,
        };
        let rest = fields.iter().map(|(field, value)| (Place::Field(field.clone()), value.clone())).collect();
        Ok((text, rest))
    }

    /// A call of a constructor that does nothing but copy parameters and constants into fields.
    fn by_constructor(
        &mut self,
        ty: CsType,
        fields: &[(DeclaredField, Value)],
    ) -> Result<Option<Creation>, Unreproducible> {
        let declarations = self.plan.declarations;
        let Some(name) = self.named(ty) else { return Ok(None) };
        let constructors = declarations.constructors(ty);
        let declared = declarations.fields(ty).map_err(Unreproducible::Object)?;
        let mut best: Option<((usize, usize, usize), Vec<Value>, Vec<(Place, Value)>)> = None;
        for (id, constructor) in &constructors {
            let is_single = |ty: CsType| {
                let is_value = matches!(
                    declarations.shape(ty),
                    Shape::Struct | Shape::Nullable(_) | Shape::Pointer(_) | Shape::Span(_) | Shape::Other
                );
                !is_value && declarations.leaves(ty) == 1
            };
            if !constructor.params.iter().all(|param| is_single(param.ty)) {
                continue;
            }
            let Some(effect) = effect(declarations.program(), *id) else { continue };
            let value_of = |field: &DeclaredField| {
                let found = fields.iter().find(|(own, _)| own.owner == field.owner && own.name == field.name);
                found.map(|(_, value)| value)
            };
            let mut passed: Vec<Option<Value>> = vec![None; constructor.params.len()];
            let mut rest = Vec::new();
            let mut fits = true;
            for field in &declared {
                let wanted = value_of(field);
                let sources: Vec<&Source> = field.leaves.iter().filter_map(|leaf| effect.get(leaf)).collect();
                let is_right = match sources[..] {
                    [] => wanted.is_none(),
                    [Source::Const(constant)] if field.leaves.len() == 1 => {
                        wanted.map_or_else(|| is_zero(constant), |wanted| is_constant(wanted, constant))
                    }
                    [&Source::Param(number)] if field.leaves.len() == 1 && number > 0 => {
                        let param = constructor.params.get(number - 1);
                        let is_free = passed.get(number - 1).is_some_and(Option::is_none);
                        let is_same = param.is_some_and(|param| param.ty == field.ty);
                        match wanted {
                            _ if !is_same => false,
                            Some(wanted) if is_free && self.is_available(wanted) => {
                                passed[number - 1] = Some(wanted.clone());
                                true
                            }
                            Some(wanted) => passed[number - 1].as_ref() == Some(wanted),
                            None => is_free,
                        }
                    }
                    // Part of a struct.
                    _ => false,
                };
                match (is_right, wanted) {
                    (true, _) => {}
                    (false, Some(wanted)) => rest.push((Place::Field(field.clone()), wanted.clone())),
                    // A default cannot be written back as a value.
                    (false, None) => fits = false,
                }
            }
            // A parameter that one field takes as its default may not have been passed for another one.
            let is_consistent = declared.iter().all(|field| match field.leaves[..] {
                [leaf] => match effect.get(&leaf) {
                    Some(&Source::Param(number)) if number > 0 && value_of(field).is_none() => {
                        passed.get(number - 1).is_some_and(Option::is_none)
                    }
                    _ => true,
                },
                _ => true,
            });
            if !fits || !is_consistent {
                continue;
            }
            let hard = rest
                .iter()
                .filter(|(place, _)| !matches!(place, Place::Field(DeclaredField { settable: Some(_), .. })));
            let rank = (hard.count(), rest.len(), constructor.params.len());
            if best.as_ref().is_none_or(|(known, ..)| rank < *known) {
                let default = |ty: CsType| self.default_of(ty);
                let arguments = passed.into_iter().zip(&constructor.params);
                let arguments = arguments.map(|(value, param)| value.unwrap_or_else(|| default(param.ty))).collect();
                best = Some((rank, arguments, rest));
            }
        }
        let Some((_, arguments, rest)) = best else { return Ok(None) };
        let is_overloaded = constructors.len() > 1;
        let mut texts = Vec::new();
        for value in &arguments {
            let text = self.typed(value)?;
            texts.push(match self.named(value.ty) {
                Some(name) if is_overloaded && !matches!(value.content, Content::Bool(_)) => format!("({name}){text}"),
                _ => text,
            });
        }
        Ok(Some((format!("new {name}({})", texts.join(", ")), rest)))
    }

    /// The default of a type with one leaf.
    fn default_of(&self, ty: CsType) -> Value {
        let content = match self.plan.declarations.shape(ty) {
            Shape::Bool => Content::Bool(false),
            Shape::F32 => Content::F32(0),
            Shape::F64 => Content::F64(0),
            Shape::Char | Shape::Int { .. } | Shape::Native { .. } | Shape::Enum(_) => Content::Int(BigInt::ZERO),
            _ => Content::Null,
        };
        Value { ty, content }
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
            // The runtime casts arrays of enums to arrays of numbers, which the language does not.
            (Some(name), Some(own)) if own != expected && self.is_array_of_numbers(own) => {
                format!("({name})(object){text}")
            }
            _ => text,
        })
    }

    fn is_array_of_numbers(&self, ty: CsType) -> bool {
        let declarations = self.plan.declarations;
        let Shape::Array(element) = declarations.shape(ty) else { return false };
        matches!(declarations.shape(element), Shape::Int { .. } | Shape::Enum(_) | Shape::Char | Shape::Native { .. })
    }

    /// A variable name for an object of a type: `node` for `N.Node`.
    fn variable_for(&self, ty: CsType) -> String {
        let name = self.plan.declarations.shown_name(ty).unwrap_or_default();
        let simple = name.split(['[', '`']).next().unwrap_or_default().rsplit(['.', '+']).next().unwrap_or_default();
        let mut chars = simple.chars();
        identifier(&chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect()))
    }

    /// Takes an unused name for a variable.
    fn take(&mut self, wished: &str) -> String {
        let is_helper = |name: &str| Helper::ALL.iter().any(|helper| helper.source().0 == name);
        let is_free = |builder: &Self, name: &str| {
            // A variable would hide a class or namespace of the same name.
            !builder.taken.contains(name)
                && !["Run", "Main", "Check", "Listener", "System", "Xunit", "method"].contains(&name)
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
fn identifier(name: &str) -> String {
    let cleaned: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    match cleaned.chars().next() {
        None => "value".into(),
        Some('_') if cleaned.len() == 1 => "value".into(),
        Some(first) if first.is_ascii_digit() => format!("value{cleaned}"),
        Some(_) => cleaned,
    }
}

fn is_zero(constant: &Const) -> bool {
    match constant {
        Const::Bool(value) => !value,
        Const::Int(value, _) => *value == BigInt::ZERO,
        Const::F32(bits) => *bits == 0,
        Const::F64(bits) => *bits == 0,
        Const::Null => true,
    }
}

fn is_constant(value: &Value, constant: &Const) -> bool {
    match (&value.content, constant) {
        (Content::Bool(value), Const::Bool(constant)) => value == constant,
        (Content::Int(value), Const::Int(constant, _)) => value == constant,
        (Content::F32(value), Const::F32(constant)) => value == constant,
        (Content::F64(value), Const::F64(constant)) => value == constant,
        (Content::Null, Const::Null) => true,
        _ => false,
    }
}
