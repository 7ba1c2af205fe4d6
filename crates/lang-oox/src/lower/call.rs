//! Resolves calls to methods.

use super::{Arg, Lowerer, Value};
use crate::ast::{Expr, ExprKind, Name, Receiver};
use crate::declare::own_params;
use crate::lexer::Loc;
use crate::report::{Outcome, Reported};
use aback_ir::*;

/// A call that is ready to be emitted.
pub(super) struct Call {
    dispatch: Dispatch,
    pub method: MethodId,
    args: Vec<ExprId>,
}

impl Call {
    /// The operation.
    pub fn into_op(self, dst: Option<LocalId>) -> OpKind {
        OpKind::Call { dst, dispatch: self.dispatch, method: self.method, args: self.args }
    }
}

/// The place to look for the method of a call.
#[derive(Clone, Copy)]
enum Target {
    /// This class; the receiver is `this` unless the method is static.
    Own,
    /// The class with this name.
    Class(ClassId),
    /// The superclass; the receiver is `this`.
    Super(ClassId),
    /// The class of an object.
    Object(ClassId, ExprId),
}

impl<'a> Lowerer<'_, 'a> {
    /// Evaluates the receiver and the arguments of a call and finds its method.
    pub(super) fn call_target(&mut self, receiver: &Receiver<'a>, name: Name<'a>, args: &[Expr<'a>]) -> Outcome<Call> {
        let target = self.target(receiver, name);
        let values = self.args(args);
        let (target, values) = (target?, values?);
        let class = match target {
            Target::Own => self.class,
            Target::Class(class) | Target::Super(class) | Target::Object(class, _) => class,
        };
        let candidates = self.env.methods(class, name, self.file)?;
        let method = self.pick(&candidates, &values, name)?;
        let is_static = self.env.program.method(method).kind == MethodKind::Static;
        let text = name.text;
        let (dispatch, object) = match target {
            _ if is_static => {
                if matches!(target, Target::Object(..)) {
                    let class = self.env.program.class(class).name.clone();
                    let help = format!("it is called `{class}.{text}(…)`");
                    self.warning(name.loc, format!("`{text}` is static: the object does not matter"), Some(help));
                }
                (Dispatch::Static, None)
            }
            Target::Own if self.this.is_none() => {
                return Err(self.error(name.loc, format!("`{text}` is not static: it needs an object")));
            }
            Target::Own => (Dispatch::Virtual, Some(self.this_value(self.span(name.loc))?.expr)),
            Target::Super(_) => (Dispatch::Special, Some(self.this_value(self.span(name.loc))?.expr)),
            Target::Class(_) => {
                let help = "call it on an object".to_owned();
                return Err(self.error_with_help(name.loc, format!("`{text}` is not static"), Some(help)));
            }
            Target::Object(_, object) => (Dispatch::Virtual, Some(object)),
        };
        let args = self.arguments(method, object, &values);
        Ok(Call { dispatch, method, args })
    }

    fn target(&mut self, receiver: &Receiver<'a>, name: Name<'a>) -> Outcome<Target> {
        let object = match receiver {
            Receiver::None => return Ok(Target::Own),
            Receiver::Super => {
                self.this_value(self.span(name.loc))?;
                return match self.env.program.class(self.class).superclass {
                    Some(superclass) => Ok(Target::Super(superclass)),
                    None => Err(self.error(name.loc, "this class has no superclass")),
                };
            }
            Receiver::Some(object) => object,
        };
        if let ExprKind::Name(text) = object.kind
            && self.scope.lookup(text).is_none()
        {
            return match self.env.lookup_class(text) {
                Some(class) => Ok(Target::Class(class)),
                None => Err(self.unknown_receiver(Name { text, loc: object.loc })),
            };
        }
        let value = self.value(object)?;
        match value.ty {
            Type::Class(class) if class != self.env.builtins.string => Ok(Target::Object(class, value.expr)),
            ty => {
                let ty = self.type_name(ty);
                Err(self.error(name.loc, format!("{ty} has no methods")))
            }
        }
    }

    fn unknown_receiver(&mut self, name: Name<'a>) -> Reported {
        let help = if self.this.is_some() && self.env.has_field(self.class, name.text) {
            Some(format!("the field is `this.{}`", name.text))
        } else {
            self.env.sink.did_you_mean(name.text, self.scope.names().chain(self.env.class_names()))
        };
        self.error_with_help(name.loc, format!("there is no variable or class `{}`", name.text), help)
    }

    /// Runs a constructor of `class` on a new object.
    pub(super) fn call_constructor(&mut self, class: ClassId, object: Value, args: &[Arg], span: Span) -> Outcome<()> {
        let candidates = self.env.constructors(class).to_vec();
        if candidates.is_empty() {
            return Err(Reported);
        }
        let name = self.env.program.class(class).name.clone();
        let loc = Loc { line: span.line, column: span.column, start: 0, length: span.length };
        let method = self.pick(&candidates, args, Name { text: &name, loc })?;
        let args = self.arguments(method, Some(object.expr), args);
        self.code.emit(OpKind::Call { dst: None, dispatch: Dispatch::Special, method, args }, span);
        Ok(())
    }

    /// The arguments, converted to the types of the parameters.
    fn arguments(&mut self, method: MethodId, object: Option<ExprId>, values: &[Arg]) -> Vec<ExprId> {
        let params = own_params(self.env.program.method(method)).to_vec();
        let own = values.iter().zip(params).map(|(arg, ty)| self.coerce(arg.value, ty, self.span(arg.loc)).expr);
        object.into_iter().chain(own.collect::<Vec<_>>()).collect()
    }

    /// The most specific method that takes these arguments.
    fn pick(&mut self, candidates: &[MethodId], args: &[Arg], name: Name<'_>) -> Outcome<MethodId> {
        let env = &*self.env;
        let params = |method: MethodId| own_params(env.program.method(method));
        let takes = |from: &[Type], to: &[Type]| {
            from.len() == to.len() && from.iter().zip(to).all(|(&from, &to)| env.fits(from, to))
        };
        let types: Vec<Type> = args.iter().map(|arg| arg.value.ty).collect();
        let fitting: Vec<MethodId> = candidates.iter().copied().filter(|&m| takes(&types, params(m))).collect();
        let best = fitting.iter().copied().find(|&m| fitting.iter().all(|&other| takes(params(m), params(other))));
        if let Some(best) = best {
            return Ok(best);
        }
        let list = |types: &[Type]| {
            let names: Vec<String> = types.iter().map(|&ty| env.type_name(ty)).collect();
            format!("({})", names.join(", "))
        };
        let text = name.text;
        let several = |methods: &[MethodId]| {
            const SHOWN: usize = 6;
            let mut shown: Vec<String> =
                methods.iter().take(SHOWN).map(|&m| format!("`{text}{}`", list(params(m)))).collect();
            if methods.len() > SHOWN {
                shown.push(format!("and {} more", methods.len() - SHOWN));
            }
            Some(format!("there are {}", shown.join(", ")))
        };
        let (loc, message, help) = match *candidates {
            _ if !fitting.is_empty() => {
                (name.loc, format!("several methods `{text}` take {}", list(&types)), several(&fitting))
            }
            [only] if params(only).len() != args.len() => {
                let wanted = params(only).len();
                let plural = if wanted == 1 { "" } else { "s" };
                let message = format!("`{text}` takes {wanted} argument{plural}, but {} are given", args.len());
                (name.loc, message.replace("but 1 are", "but 1 is"), several(&[only]))
            }
            [only] => {
                let wrong = types.iter().zip(params(only)).position(|(&from, &to)| !env.fits(from, to)).unwrap_or(0);
                let (wanted, found) = (env.type_name(params(only)[wrong]), env.type_name(types[wrong]));
                let message = format!("argument {} of `{text}` must be {wanted}, but this is {found}", wrong + 1);
                (args[wrong].loc, message, None)
            }
            _ => (name.loc, format!("no `{text}` takes {}", list(&types)), several(candidates)),
        };
        Err(self.error_with_help(loc, message, help))
    }
}
