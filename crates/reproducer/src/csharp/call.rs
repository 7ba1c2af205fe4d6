//! Writes the call of the entry point, with the variables for its arguments.

use super::build::{Builder, Made, identifier};
use super::expressions::Helper;
use super::literals;
use super::plan::{self, Argument, Content, Object, Place, Value};
use crate::Unreproducible;
use aback_lang_csharp::{CsType, DeclaredMethod, Shape, Use, escaped};
use rustc_hash::FxHashMap;

impl Builder<'_> {
    /// The objects to which an argument refers.
    pub(super) fn targets(&self, argument: &Argument) -> Vec<usize> {
        let mut found = Vec::new();
        match argument {
            Argument::Value(value) | Argument::Span(_, value, ..) => value.targets(&mut found),
            Argument::Variable(number) => self.plan.variables[*number].1.targets(&mut found),
            Argument::Place(place) => place.holder().into_iter().for_each(|holder| holder.targets(&mut found)),
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

    pub(super) fn call(&mut self) -> Result<(), Unreproducible> {
        let plan = self.plan;
        let names = self.names();
        let all: Vec<&Argument> = plan.receiver.iter().chain(&plan.arguments).collect();
        for (name, argument) in names.iter().zip(&all) {
            if let Argument::Value(Value { content: Content::Ref(target), .. }) = argument {
                self.wished.entry(*target).or_insert_with(|| name.clone());
            }
        }
        self.make_by_calls()?;
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
                        let value = &plan.variables[*number].1;
                        let text = self.declare(name, value)?;
                        variables.insert(*number, text.clone());
                        self.variables.push((*number, text.clone(), true));
                        text
                    }
                },
                Argument::Place(place) => self.place(place)?,
                Argument::Span(ty, array, start, length) => {
                    let name = self.take(name);
                    let ty = self.named(*ty).unwrap_or_default();
                    let array = self.typed(array)?;
                    self.call.before.push(format!("{ty} {name} = new {ty}({array}, {start}, {length});"));
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
        self.call.text = self.use_of(method, receiver, &passed)?;
        self.call.is_read = matches!(method.by, Use::Get(_));
        Ok(())
    }

    /// Writes the calls that make objects.
    pub(super) fn make_by_calls(&mut self) -> Result<(), Unreproducible> {
        let plan = self.plan;
        for step in &plan.making {
            let is_overloaded = plan.declarations.is_overloaded(&step.method);
            let mut passed = Vec::new();
            for value in &step.arguments {
                let mut targets = Vec::new();
                value.targets(&mut targets);
                targets.into_iter().try_for_each(|target| self.make(target))?;
                let text = self.typed(value)?;
                passed.push(match self.named(value.ty) {
                    Some(name) if is_overloaded && !matches!(value.content, Content::Bool(_)) => {
                        format!("({name}){text}")
                    }
                    _ => text,
                });
            }
            let receiver = match step.receiver {
                Some(object) => Some(self.reference(object, step.method.owner, false)?),
                None => None,
            };
            let text = self.use_of(&step.method, receiver, &passed)?;
            let made = step.made.and_then(|number| match plan.objects.get(&number) {
                Some(Object::Made(ty)) if !self.made.contains_key(&number) => Some((number, *ty)),
                _ => None,
            });
            let Some((number, ty)) = made else {
                self.statements.push(format!("{text};"));
                continue;
            };
            let wished = self.wished.get(&number).cloned().unwrap_or_else(|| self.variable_for(ty));
            let name = self.take(&wished);
            let declared = self.named(ty).unwrap_or_else(|| "var".into());
            let own = Some(ty).filter(|&ty| self.named(ty).is_some());
            self.statements.push(format!("{declared} {name} = {text};"));
            self.made.insert(number, Made::Variable(name, own));
        }
        Ok(())
    }

    /// The expression that uses a method.
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
            Use::New => format!("new {owner}({list})"),
            Use::Call => {
                let arguments: Option<Vec<String>> = method.arguments.iter().map(|&ty| self.named(ty)).collect();
                let arguments = arguments.ok_or_else(unnameable)?;
                let own = if arguments.is_empty() { String::new() } else { format!("<{}>", arguments.join(", ")) };
                format!("{object}.{}{own}({list})", escaped(&method.name))
            }
            Use::Get(name) if passed.is_empty() => format!("{object}.{}", escaped(name)),
            Use::Get(_) => format!("{object}[{list}]"),
            Use::Set(name) => match passed {
                [value] => format!("{object}.{} = {value}", escaped(name)),
                [indices @ .., value] => format!("{object}[{}] = {value}", indices.join(", ")),
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
                (false, Some(ty)) if own.is_some_and(|own| self.is_array_of_numbers(own)) => {
                    format!("(({ty})(object){variable})")
                }
                (false, Some(ty))
                    if self.plan.receiver.is_some()
                        || self.is_overloaded()
                        || own.is_none()
                        || self.is_held(target) =>
                {
                    format!("(({ty}){variable})")
                }
                (false, Some(_)) => variable,
            });
        }
        self.declare(name, value)
    }

    /// A place, as sources name it.
    fn place(&mut self, place: &Place) -> Result<String, Unreproducible> {
        let unnameable = || Unreproducible::Object("sources cannot name the place to which a reference points".into());
        let names = |path: &str| path.split('.').map(escaped).collect::<Vec<_>>().join(".");
        Ok(match place {
            Place::Field(object, path) => {
                let owner = self.named(object.ty).ok_or_else(unnameable)?;
                format!("(({owner}){}).{}", self.typed(object)?, names(path))
            }
            Place::Static(owner, path) => format!("{}.{}", self.named(*owner).ok_or_else(unnameable)?, names(path)),
            Place::Element(array, index) => {
                self.named(array.ty).ok_or_else(unnameable)?;
                match self.typed(array)? {
                    cast if cast.starts_with('(') => format!("({cast})[{index}]"),
                    array => format!("{array}[{index}]"),
                }
            }
        })
    }

    /// Whether an object is that of a static field, whose type may be wider than that of an argument.
    fn is_held(&self, number: usize) -> bool {
        matches!(self.plan.objects.get(&number), Some(Object::Held(_)))
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

    pub(super) fn call_by_reflection(&mut self) -> Result<(), Unreproducible> {
        self.make_by_calls()?;
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
                Argument::Variable(number) => {
                    if self.variables.iter().all(|(known, ..)| known != number) {
                        self.variables.push((*number, format!("arguments[{index}]"), false));
                    }
                    number.to_string()
                }
                _ => (count + index).to_string(),
            });
            let text = match argument {
                Argument::Variable(number) => self.boxed(&plan.variables[*number].1)?,
                Argument::Value(value) => self.boxed(value)?,
                Argument::Place(_) => return Err(plan::not_by_reflection()),
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
        self.statements.push(format!("object[] arguments = {values};"));
        self.call.text = format!("Call(method, arguments, {variables})");
        self.call.is_reflected = true;
        Ok(())
    }
}
