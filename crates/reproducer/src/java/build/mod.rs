//! Builds the statements that make the input heap and the arguments.

mod creation;

use super::checks::Read;
use super::types::{Names, package};
use super::{Subject, literals};
use crate::Unreproducible;
use crate::constructor::Source;
use crate::order;
use crate::prediction::Prediction;
use crate::received::MakingStep;
use aback_ir::{ClassId, FieldId, LocalId, MethodId, MethodKind, Program, Type};
use aback_witness::{InputObject, InputValue};
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Longest expression, in characters, that is written at its only use instead of into a variable.
const INLINE: usize = 60;
/// Longest array, in elements, that is written as an array initializer.
const WRITTEN_OUT: usize = 16;
/// Longest array, in elements, that is written so if at least half of its elements differ from the default.
const DENSE: usize = 200;

/// A statement of the reproducer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    /// A declaration of a variable with its value.
    Declare { ty: String, name: String, value: String },
    /// Any other statement, with its semicolon.
    Do(String),
}

impl Statement {
    /// The text of the statement.
    pub(crate) fn text(&self) -> String {
        match self {
            Statement::Declare { ty, name, value } => format!("{ty} {name} = {value};"),
            Statement::Do(text) => text.clone(),
        }
    }
}

/// Methods of the reproducer that statements call.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Helper {
    Make,
    Set,
    SetRecord,
    Get,
    Call,
    Construct,
}

/// The parts of the reproducer inside its frame.
#[derive(Debug, Default)]
pub(crate) struct Built {
    /// The statements that make the heap and the arguments.
    pub(crate) statements: Vec<Statement>,
    /// The call of the entry point, an expression. If it is made by reflection, its type is `Object`.
    pub(crate) call: String,
    pub(crate) is_reflected: bool,
    pub(crate) helpers: BTreeSet<Helper>,
    /// Options that the JVM needs to allow the statements.
    pub(crate) options: BTreeSet<String>,
    /// The objects that variables refer to, with the variables.
    pub(crate) variables: Vec<(usize, Read)>,
    /// Classes whose objects need reflection, because neither constructors nor writable fields can make them.
    pub(crate) unmade: BTreeSet<String>,
}

/// Builds the statements for a counterexample, in a class of the package of `names`.
pub(crate) fn build(subject: &Subject, names: Names, prediction: &Prediction) -> Result<Built, Unreproducible> {
    let mut builder = Builder::new(subject, names, prediction);
    let arguments = builder.arguments()?;
    builder.connect()?;
    (builder.built.call, builder.built.is_reflected) = builder.call(subject.entry, &arguments);
    builder.built.variables = builder.variables();
    Ok(builder.built)
}

/// How statements refer to an object.
#[derive(Clone)]
enum Made {
    /// By the expression that makes it, at its only use.
    Inline(String),
    /// By the variable with this name. The type is that of the object; the flag says whether the variable has this
    /// type. A type that cannot be named is replaced by `Object` or `Object[]`.
    Variable(String, Type, bool),
}

/// A part of an object that is written once all objects exist.
struct Later {
    owner: usize,
    place: Slot,
    value: InputValue,
}

/// The expression that makes an object, and the parts that remain to be written.
type Creation = (String, Vec<(Slot, InputValue)>);

#[derive(Clone)]
enum Slot {
    Field(FieldId),
    Element(BigInt),
    /// All elements.
    All,
}

/// An argument: an expression and its type, which is `None` if it cannot be named here.
struct Argument {
    text: String,
    ty: Option<Type>,
}

struct Builder<'a> {
    subject: &'a Subject<'a>,
    names: Names<'a>,
    prediction: &'a Prediction,
    built: Built,
    made: FxHashMap<usize, Made>,
    /// Number of places that refer to each object.
    uses: FxHashMap<usize, usize>,
    /// Preferred names for the variables of objects.
    wished: FxHashMap<usize, String>,
    taken: FxHashSet<String>,
    later: Vec<Later>,
    /// Cached effects of constructors.
    effects: FxHashMap<MethodId, Option<BTreeMap<FieldId, Source>>>,
}

impl<'a> Builder<'a> {
    fn new(subject: &'a Subject<'a>, names: Names<'a>, prediction: &'a Prediction) -> Self {
        Builder {
            subject,
            names,
            prediction,
            built: Built::default(),
            made: FxHashMap::default(),
            uses: FxHashMap::default(),
            wished: FxHashMap::default(),
            taken: FxHashSet::default(),
            later: Vec::new(),
            effects: FxHashMap::default(),
        }
    }

    fn program(&self) -> &'a Program {
        self.subject.program
    }

    fn object(&self, index: usize) -> Result<&'a InputObject, Unreproducible> {
        self.prediction
            .received
            .heap
            .get(index)
            .ok_or_else(|| Unreproducible::Object(format!("there is no object {index}")))
    }

    /// The exact type of an object.
    fn exact(&self, index: usize) -> Result<Type, Unreproducible> {
        Ok(match self.object(index)? {
            InputObject::Object { class, .. } => Type::Class(*class),
            InputObject::Array { element, .. } => self.program().array_of(*element),
        })
    }

    // ---- arguments ----------------------------------------------------------------------------------------------

    fn arguments(&mut self) -> Result<Vec<Argument>, Unreproducible> {
        let (program, entry) = (self.program(), self.subject.entry);
        let method = program.method(entry);
        let constructs = method.kind == MethodKind::Constructor;
        if constructs && program.class(method.class).is_abstract {
            return Err(Unreproducible::Entry("constructors of abstract classes cannot be called".into()));
        }
        let values = self.prediction.received.arguments.clone();
        self.count_uses()?;
        let names: Vec<String> = (0..method.params.len()).map(|index| self.parameter_name(index)).collect();
        for (name, value) in names.iter().zip(&values) {
            if let InputValue::Ref(object) = value {
                self.wished.entry(*object).or_insert_with(|| name.clone());
            }
        }
        for step in &self.prediction.received.making {
            self.make_by(step)?;
        }
        let mut arguments = Vec::new();
        for (index, &ty) in method.params.iter().enumerate() {
            if constructs && index == 0 {
                continue;
            }
            let value = values.get(index).unwrap_or(&InputValue::Null);
            arguments.push(self.argument(index, ty, &names[index], value)?);
        }
        Ok(arguments)
    }

    /// Makes or changes an object by the call that a run has made for it.
    fn make_by(&mut self, step: &MakingStep) -> Result<(), Unreproducible> {
        let method = self.program().method(step.method);
        let built = usize::from(method.kind == MethodKind::Constructor);
        let mut arguments = Vec::new();
        for (value, &ty) in step.arguments.iter().zip(&method.params).skip(built) {
            if let InputValue::Ref(object) = value {
                self.make(*object)?;
            }
            let exact = match value {
                InputValue::Ref(object) => match self.made.get(object) {
                    Some(Made::Variable(_, exact, is_known)) => is_known.then_some(*exact),
                    _ => None,
                },
                _ => Some(ty),
            };
            // Overloads must not be ambiguous, as with `null`.
            let ty_of_value = exact.filter(|_| *value != InputValue::Null);
            arguments.push(Argument { text: self.value(value, ty, true)?, ty: ty_of_value });
        }
        let (call, is_reflected) = self.call(step.method, &arguments);
        let Some(object) = step.made else {
            self.built.statements.push(Statement::Do(format!("{call};")));
            return Ok(());
        };
        if self.made.contains_key(&object) {
            return Ok(());
        }
        let exact = self.exact(object)?;
        let is_box = self.program().is_library_method(step.method) && method.kind == MethodKind::Static;
        if is_box && self.uses.get(&object) == Some(&1) {
            self.made.insert(object, Made::Inline(call));
            return Ok(());
        }
        let wished = self.wished.get(&object).cloned();
        let (ty, is_known) = match self.names.ty(exact) {
            Some(ty) => (ty, true),
            None => ("Object".into(), false),
        };
        let name = wished.unwrap_or_else(|| match exact {
            Type::Class(class) => variable_for(self.program().class_name(class)),
            _ => "object".into(),
        });
        let name = self.take(&name);
        let is_narrower = is_known && method.kind == MethodKind::Static && method.result != Some(exact);
        let value = if is_reflected && is_known || is_narrower { format!("({ty}) {call}") } else { call };
        self.made.insert(object, Made::Variable(name.clone(), exact, is_known));
        self.built.statements.push(Statement::Declare { ty, name, value });
        Ok(())
    }

    fn argument(&mut self, index: usize, ty: Type, name: &str, value: &InputValue) -> Result<Argument, Unreproducible> {
        if self.is_ignored_main_argument(index) {
            return Ok(Argument { text: "new String[0]".into(), ty: Some(ty) });
        }
        let type_name = self.names.ty(ty);
        let text = match value {
            InputValue::Ref(object) => {
                self.make(*object)?;
                match self.made.get(object) {
                    Some(Made::Variable(variable, exact, is_known)) if variable == name => {
                        return Ok(Argument { text: variable.clone(), ty: is_known.then_some(*exact) });
                    }
                    _ => self.reference(*object, ty)?,
                }
            }
            value => self.value(value, ty, false)?,
        };
        let name = self.take(name);
        let (ty_text, known) = match type_name {
            Some(text) => (text, Some(ty)),
            None => ("Object".into(), None),
        };
        self.built.statements.push(Statement::Declare { ty: ty_text, name: name.clone(), value: text });
        Ok(Argument { text: name, ty: known })
    }

    /// Whether the argument is the `args` of a main method that does not read them.
    fn is_ignored_main_argument(&self, index: usize) -> bool {
        let (program, entry) = (self.program(), self.subject.entry);
        let method = program.method(entry);
        if index != 0 || method.name != "main" || method.kind != MethodKind::Static || method.params.len() != 1 {
            return false;
        }
        if self.names.ty(method.params[0]).as_deref() != Some("String[]") {
            return false;
        }
        program.body(entry).is_some_and(|body| !body.reads(LocalId(0)))
    }

    fn parameter_name(&mut self, index: usize) -> String {
        let (program, entry) = (self.program(), self.subject.entry);
        let local = program.body(entry).and_then(|body| body.locals.get(index));
        match local.map(|local| local.name.as_str()) {
            Some("this") | None => {
                let class = program.class_name(program.method(entry).class);
                variable_for(class)
            }
            Some(name) => literals::identifier(name),
        }
    }

    /// An expression for an enum constant.
    fn constant(&self, class: ClassId, number: usize) -> String {
        let constants = self.subject.java.constants(self.program(), class);
        match (self.names.class(class), constants.get(number)) {
            (Some(name), Some(constant)) => format!("{name}.{constant}"),
            (Some(name), None) => format!("{name}.values()[{number}]"),
            (None, _) => format!("{}.getEnumConstants()[{number}]", self.names.class_object(Type::Class(class))),
        }
    }

    // ---- objects ------------------------------------------------------------------------------------------------

    /// The objects that an object refers to, in order.
    fn children(&self, index: usize) -> Result<Vec<usize>, Unreproducible> {
        let received = &self.prediction.received;
        if self.holder(index).is_some()
            || received.strings.contains_key(&index)
            || received.making.iter().any(|step| step.made == Some(index))
        {
            return Ok(Vec::new());
        }
        let target = |value: &InputValue| match value {
            InputValue::Ref(target) => Some(*target),
            _ => None,
        };
        Ok(match self.object(index)? {
            InputObject::Object { fields, .. } => fields.values().filter_map(target).collect(),
            InputObject::Array { elements, rest, .. } => elements.values().chain(rest).filter_map(target).collect(),
        })
    }

    fn count_uses(&mut self) -> Result<(), Unreproducible> {
        let received = &self.prediction.received;
        let passed = received.making.iter().flat_map(|step| &step.arguments);
        let roots = received.arguments.iter().chain(passed).filter_map(|value| match value {
            InputValue::Ref(target) => Some(*target),
            _ => None,
        });
        self.uses = order::uses(roots, |index| self.children(index))?;
        Ok(())
    }

    /// Makes an object after the objects that it refers to. References along cycles are written later.
    fn make(&mut self, root: usize) -> Result<(), Unreproducible> {
        let order = order::children_first(root, |index| self.made.contains_key(&index), |index| self.children(index))?;
        order.into_iter().try_for_each(|index| self.make_one(index))
    }

    /// The static field of the program that refers to an object that the program has made itself.
    fn holder(&self, index: usize) -> Option<FieldId> {
        let received = &self.prediction.received;
        let field = received.holders.get(&index).copied().filter(|_| received.own.contains(&index))?;
        let is_library = self.program().class(self.program().field(field).class).is_library;
        (!is_library && self.subject.java.field_declaration(self.program(), field).is_some()).then_some(field)
    }

    /// An expression for the object of an exact type to which a static field refers.
    fn held(&mut self, field: FieldId, exact: Type) -> String {
        let declared = self.program().field(field);
        let owner = self.names.class(declared.class).filter(|_| self.names.can_read(declared.class, field));
        let text = match &owner {
            Some(owner) => format!("{owner}.{}", declared.name),
            None => {
                self.built.helpers.insert(Helper::Get);
                let owner = self.names.class_object(Type::Class(declared.class));
                format!("get({owner}, null, \"{}\")", declared.name)
            }
        };
        match self.names.ty(exact) {
            Some(name) if owner.is_none() || declared.ty != exact => format!("(({name}) {text})"),
            _ => text,
        }
    }

    fn make_one(&mut self, index: usize) -> Result<(), Unreproducible> {
        let received = &self.prediction.received;
        if let Some(&(class, number)) = received.constants.get(&index) {
            self.made.insert(index, Made::Inline(self.constant(class, number)));
            return Ok(());
        }
        let is_own = received.own.contains(&index);
        let boxed = match self.object(index)? {
            // The method that makes boxes has made it.
            InputObject::Object { class, fields } if is_own => self.names.boxed(*class, fields),
            _ => None,
        };
        let (text, rest) = match self.object(index)? {
            _ if let Some(field) = self.holder(index) => (self.held(field, self.exact(index)?), Vec::new()),
            _ if let Some(text) = boxed => (text, Vec::new()),
            _ if is_own && !received.strings.contains_key(&index) => {
                let class = self.program().show_type(self.exact(index)?);
                let reason = format!("an argument leads to an object of {class} that the program holds itself");
                return Err(Unreproducible::Object(reason));
            }
            _ if received.strings.contains_key(&index) => {
                let string = literals::string(&received.strings[&index]);
                (if is_own { format!("{string}.intern()") } else { string }, Vec::new())
            }
            InputObject::Object { class, fields } => self.new_object(index, *class, fields)?,
            InputObject::Array { element, length, elements, rest } => {
                self.new_array(*element, length, elements, rest.as_ref())?
            }
        };
        let wished = self.wished.get(&index).cloned();
        let is_used_once = self.uses.get(&index) == Some(&1);
        if rest.is_empty() && is_used_once && wished.is_none() && text.chars().count() <= INLINE {
            self.made.insert(index, Made::Inline(text));
            return Ok(());
        }
        let exact = self.exact(index)?;
        let (ty, is_known) = match (self.names.ty(exact), exact) {
            (Some(ty), _) => (ty, true),
            (None, Type::Array(_)) => ("Object[]".into(), false),
            (None, _) => ("Object".into(), false),
        };
        let name = match wished {
            Some(wished) => self.take(&wished),
            None => self.take(&match exact {
                Type::Class(class) => variable_for(self.program().class_name(class)),
                _ => "array".into(),
            }),
        };
        self.made.insert(index, Made::Variable(name.clone(), exact, is_known));
        self.built.statements.push(Statement::Declare { ty, name, value: text });
        for (place, value) in rest {
            let is_there = match &value {
                InputValue::Ref(target) => self.made.contains_key(target),
                _ => true,
            };
            match is_there {
                true => self.fill(index, &place, &value)?,
                false => self.later.push(Later { owner: index, place, value }),
            }
        }
        Ok(())
    }

    /// Writes the references that close cycles.
    fn connect(&mut self) -> Result<(), Unreproducible> {
        for Later { owner, place, value } in std::mem::take(&mut self.later) {
            self.fill(owner, &place, &value)?;
        }
        Ok(())
    }

    fn fill(&mut self, owner: usize, place: &Slot, value: &InputValue) -> Result<(), Unreproducible> {
        let Some(Made::Variable(name, exact, _)) = self.made.get(&owner).cloned() else { return Ok(()) };
        let statement = match (place, exact) {
            (Slot::Element(position), Type::Array(array)) => {
                let value = self.value(value, self.program().element_type(array), false)?;
                format!("{name}[{position}] = {value};")
            }
            (Slot::All, Type::Array(array)) => {
                let value = self.value(value, self.program().element_type(array), true)?;
                format!("java.util.Arrays.fill({name}, {value});")
            }
            (Slot::Field(field), Type::Class(class)) => self.write_field(&name, class, *field, value)?,
            _ => return Err(Unreproducible::Object("an object has elements, or an array has fields".into())),
        };
        self.built.statements.push(Statement::Do(statement));
        Ok(())
    }

    fn write_field(
        &mut self,
        object: &str,
        class: ClassId,
        field: FieldId,
        value: &InputValue,
    ) -> Result<String, Unreproducible> {
        let declared = self.program().field(field);
        if self.names.can_write(class, field) && self.names.ty(declared.ty).is_some() {
            let given = value;
            let value = self.value(given, declared.ty, false)?;
            // The object is cast to the raw class that declares the field. Type arguments could make the field's type
            // narrower than its erasure.
            let owner = Type::Class(declared.class);
            let is_erased = owner != Type::Class(class) && declared.ty.is_reference() && *given != InputValue::Null;
            let raw = self.names.ty(owner).filter(|_| is_erased);
            let object = raw.map_or_else(|| object.to_owned(), |raw| format!("(({raw}) {object})"));
            return Ok(format!("{object}.{} = {value};", declared.name));
        }
        self.built.unmade.insert(self.program().class_name(class).to_owned());
        let declaration = self.subject.java.class_declaration(self.program(), declared.class);
        let helper = match declaration.as_ref().is_some_and(|class| class.is_record) {
            true => {
                self.built.options.insert("--add-exports java.base/jdk.internal.misc=ALL-UNNAMED".into());
                Helper::SetRecord
            }
            false => Helper::Set,
        };
        if helper == Helper::Set && declaration.is_some_and(|class| class.is_of_jdk) {
            self.opens(self.program().class_name(declared.class));
        }
        self.built.helpers.insert(helper);
        let name = if helper == Helper::Set { "set" } else { "setRecord" };
        let class = self.names.class_object(Type::Class(declared.class));
        let value = self.value(value, declared.ty, true)?;
        Ok(format!("{name}({class}, {object}, \"{}\", {value});", declared.name))
    }

    /// Adds the option that opens a package of the JDK to reflection.
    fn opens(&mut self, class: &str) {
        let package = package(class);
        let library = self.subject.java.classpath().library().ok();
        let module = library.and_then(|library| library.module(&package.replace('.', "/")).map(str::to_owned));
        let module = module.unwrap_or_else(|| "java.base".into());
        self.built.options.insert(format!("--add-opens {module}/{package}=ALL-UNNAMED"));
    }

    // ---- values -------------------------------------------------------------------------------------------------

    /// An expression for a value of a type. `is_passed` means that Java does not narrow constants there, as for
    /// arguments.
    fn value(&self, value: &InputValue, ty: Type, is_passed: bool) -> Result<String, Unreproducible> {
        Ok(match (value, ty) {
            (InputValue::Ref(target), _) => self.reference(*target, ty)?,
            (InputValue::Int(number), Type::Machine { width: 8 | 16, signed: true }) if is_passed => {
                format!("({}) {number}", self.program().show_type(ty))
            }
            (value, _) => scalar(value, ty),
        })
    }

    /// An expression for a reference to an existing object, where type `ty` is expected.
    fn reference(&self, target: usize, ty: Type) -> Result<String, Unreproducible> {
        let missing = || Unreproducible::Object(format!("object {target} has not been created yet"));
        Ok(match self.made.get(&target).ok_or_else(missing)? {
            Made::Inline(text) => text.clone(),
            Made::Variable(name, _, true) => name.clone(),
            Made::Variable(name, ..) => match self.names.ty(ty) {
                Some(ty) if ty != "Object" => format!("({ty}) {name}"),
                _ => name.clone(),
            },
        })
    }

    /// Takes an unused name for a variable.
    fn take(&mut self, wished: &str) -> String {
        // `arguments` is the parameter of the reproducer's own main method. A variable would hide a class of the same
        // name.
        let is_free = |builder: &Self, name: &str| {
            let class = match builder.names.package {
                "" => name.to_string(),
                package => format!("{package}.{name}"),
            };
            !builder.taken.contains(name) && name != "arguments" && builder.program().class_named(&class).is_none()
        };
        let mut name = wished.to_string();
        let mut number = 1;
        while !is_free(self, &name) {
            number += 1;
            name = format!("{wished}{number}");
        }
        self.taken.insert(name.clone());
        name
    }

    /// The objects that variables refer to, in order.
    fn variables(&self) -> Vec<(usize, Read)> {
        let read = |(&object, made): (&usize, &Made)| match made {
            Made::Variable(name, ty, is_known) => {
                Some((object, Read { text: name.clone(), ty: is_known.then_some(*ty) }))
            }
            Made::Inline(_) => None,
        };
        let mut variables: Vec<(usize, Read)> = self.made.iter().filter_map(read).collect();
        variables.sort_by_key(|(object, _)| *object);
        variables
    }

    // ---- the call -----------------------------------------------------------------------------------------------

    /// A call of a method or constructor, whose object is the first argument if there is one. Also returns whether it is
    /// made by reflection, so that its type is `Object`.
    fn call(&mut self, entry: MethodId, arguments: &[Argument]) -> (String, bool) {
        let program = self.program();
        let method = program.method(entry);
        let receiver = usize::from(method.kind != MethodKind::Static);
        let params = &method.params[receiver..];
        let (object, passed) = match method.kind {
            MethodKind::Instance => (arguments.first(), arguments.get(1..).unwrap_or_default()),
            MethodKind::Static | MethodKind::Constructor => (None, arguments),
        };
        let class = self.names.class(method.class);
        let is_inner = self.names.visible(method.class).is_none_or(|class| class.is_inner);
        let is_nameable = self.names.can_call(entry)
            && params.iter().all(|&ty| self.names.ty(ty).is_some())
            && !(method.kind == MethodKind::Constructor && is_inner)
            && object.is_none_or(|object| object.ty.is_some());
        if let (Some(class), true) = (class, is_nameable) {
            let is_overloaded = self.is_overloaded(entry);
            let texts: Vec<String> = params
                .iter()
                .zip(passed)
                .map(|(&ty, argument)| {
                    let fits =
                        argument.ty.is_some_and(|own| own == ty || (!is_overloaded && program.is_assignable(own, ty)));
                    match self.names.ty(ty).filter(|_| !fits) {
                        Some(ty) => format!("({ty}) {}", argument.text),
                        None => argument.text.clone(),
                    }
                })
                .collect();
            let texts = texts.join(", ");
            let call = match (method.kind, object) {
                (MethodKind::Constructor, _) => format!("new {class}({texts})"),
                (_, Some(object)) => format!("{}.{}({texts})", object.text, method.name),
                _ => format!("{class}.{}({texts})", method.name),
            };
            return (call, false);
        }
        let class = self.names.class_object(Type::Class(method.class));
        let types: Vec<String> = params.iter().map(|&ty| self.names.class_object(ty)).collect();
        let values: Vec<&str> = passed.iter().map(|argument| argument.text.as_str()).collect();
        let braced = |items: String| if items.is_empty() { "{}".into() } else { format!("{{{items}}}") };
        let (types, values) = (braced(types.join(", ")), braced(values.join(", ")));
        let (types, values) = (format!("new Class<?>[] {types}"), format!("new Object[] {values}"));
        let call = match method.kind {
            MethodKind::Constructor => {
                self.built.helpers.insert(Helper::Construct);
                format!("construct({class}, {types}, {values})")
            }
            MethodKind::Static | MethodKind::Instance => {
                self.built.helpers.insert(Helper::Call);
                let object = object.map_or("null", |object| object.text.as_str());
                format!("call({class}, \"{}\", {types}, {object}, {values})", method.name)
            }
        };
        (call, true)
    }

    fn is_overloaded(&self, entry: MethodId) -> bool {
        let program = self.program();
        let method = program.method(entry);
        let classes = program.supertypes(method.class);
        let named = |class: ClassId| program.methods_named(class, &method.name).len();
        let own = named(method.class);
        own > 1 || classes.into_iter().filter(|&class| class != method.class).any(|class| named(class) > 0)
    }
}

/// A variable name for an object of a class: `node` for `a.Outer$Node`.
fn variable_for(class: &str) -> String {
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    let mut chars = simple.chars();
    let lower = chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect());
    literals::identifier(&lower)
}

pub(crate) fn is_default(value: &InputValue) -> bool {
    match value {
        InputValue::Bool(value) => !value,
        InputValue::Int(value) => *value == BigInt::ZERO,
        InputValue::F32(bits) => *bits == 0,
        InputValue::F64(bits) => *bits == 0,
        InputValue::Null => true,
        InputValue::Ref(_) | InputValue::Elements(_) => false,
    }
}

/// An expression for a value that is not a reference to an object.
pub(crate) fn scalar(value: &InputValue, ty: Type) -> String {
    match (value, ty) {
        (InputValue::Bool(value), _) => value.to_string(),
        (InputValue::Int(value), Type::Machine { width: 16, signed: false }) => {
            u16::try_from(value).map_or_else(|_| value.to_string(), literals::char)
        }
        (InputValue::Int(value), Type::Machine { width: 64, .. }) => literals::long(value),
        (InputValue::Int(value), _) => literals::int(value),
        (InputValue::F32(bits), _) => literals::float(*bits),
        (InputValue::F64(bits), _) => literals::double(*bits),
        (InputValue::Null | InputValue::Ref(_) | InputValue::Elements(_), _) => "null".into(),
    }
}
