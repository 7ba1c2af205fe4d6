//! Declares the arguments and the local variables of a method.

use super::stack::{Entry, Leaves};
use super::{Translated, Translator, malformed};
use crate::compiler_made::made_for;
use crate::layout::Shape;
use crate::loader::ClassKind;
use crate::receivers;
use crate::types::{Kind, Ty, TyId};
use aback_cil::{Opcode, Operand};
use aback_ir::{ClassId, Const, Expr, ExprId, Local, LocalId, MadeFor, OpKind, Type, View};

/// How the names of variables begin whose objects have the variables that functions capture.
const SCOPE: &str = "CS$<>8__locals";
/// Deepest nesting of such objects.
const MOST_SCOPES: usize = 16;

/// An argument or a local variable.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) ty: TyId,
    pub(super) storage: Storage,
}

#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// Its leaves are locals.
    Locals(Vec<LocalId>),
    /// It is an object, because managed pointers to it exist.
    Cell(LocalId, ClassId, Shape),
}

impl<'a> Translator<'a> {
    /// Declares all variables, and gives those that are objects their values.
    pub(super) fn declare_variables(&mut self) -> Translated<()> {
        let mut types = Vec::new();
        let by_value = self.signature.has_this && self.cs.is_value(self.key.owner);
        if self.signature.has_this {
            types.push(match by_value {
                true => self.cs.intern(Ty::Ref(self.key.owner))?,
                false => receivers::receiver_type(self.cs, self.key),
            });
        }
        types.extend(&self.signature.params);
        let names = self.parameter_names();
        let is_stored = |index: usize| {
            self.code.instructions.iter().any(|instruction| {
                matches!(instruction.opcode, Opcode::Starg | Opcode::Ldarga)
                    && instruction.operand == Operand::Variable(index as u16)
            })
        };
        let stored: Vec<bool> = (0..types.len()).map(is_stored).collect();
        // Parameters of the body come first.
        let mut given = Vec::new();
        for (index, &ty) in types.iter().enumerate() {
            let name = names.get(index).cloned().unwrap_or_else(|| format!("arg{index}"));
            let is_receiver_by_value = index == 0 && by_value && receivers::is_by_value(self.cs, self.key);
            let of = if is_receiver_by_value { self.key.owner } else { ty };
            let leaves = self.cs.leaves(of)?;
            let locals: Vec<LocalId> =
                leaves.iter().map(|leaf| self.variable_local(Some(part_name(&name, &leaf.path)), leaf.ty)).collect();
            // An argument that is never assigned is as stable as a temporary.
            if !stored[index] {
                for local in &locals {
                    self.is_temporary[local.index()] = true;
                }
            }
            given.push((of, locals));
        }
        // The entry point of a program gets arbitrary values.
        if self.cs.loader.assemblies.module(self.assembly).is_own {
            for (ty, locals) in &given {
                self.keep_argument(*ty, locals)?;
            }
        }
        for (index, (ty, locals)) in given.into_iter().enumerate() {
            let variable = self.new_variable(false, index as u16, ty, Some(locals), None)?;
            self.arguments.push(variable);
        }
        let scopes = self.cs.loader.assemblies.module(self.assembly).pdb();
        let scopes = scopes.map(|pdb| pdb.local_scopes(self.key.row)).unwrap_or_default();
        let (cs, assembly, code) = (self.cs, self.assembly, self.code);
        for (index, sig) in code.locals.iter().enumerate() {
            let ty = cs.resolve(assembly, sig, &self.generics)?;
            let named = scopes
                .iter()
                .flat_map(|scope| &scope.variables)
                .find(|variable| usize::from(variable.index) == index && !variable.is_hidden);
            let name = named.map(|variable| variable.name.clone());
            let variable = self.new_variable(true, index as u16, ty, None, name)?;
            self.variables.push(variable);
        }
        Ok(())
    }

    fn keep_argument(&mut self, ty: TyId, locals: &[LocalId]) -> Translated<()> {
        let before: Vec<ExprId> = locals.iter().map(|&local| self.local(local)).collect();
        let mut after = before.clone();
        self.keep_invariants(ty, &mut after)?;
        for ((&dst, &before), value) in locals.iter().zip(&before).zip(after) {
            if before != value {
                self.op(OpKind::Assign { dst, value });
            }
        }
        Ok(())
    }

    fn parameter_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        if self.signature.has_this {
            names.push("this".into());
        }
        let first = names.len();
        names.extend((0..self.signature.params.len()).map(|index| format!("arg{index}")));
        for param in self.cs.assembly(self.assembly).params(self.key.row) {
            let index = usize::from(param.sequence).checked_sub(1).map(|index| index + first);
            if let Some(name) = index.and_then(|index| names.get_mut(index))
                && !param.name.is_empty()
            {
                *name = param.name.to_string();
            }
        }
        names
    }

    /// A variable; `given` are the parameters with its initial value.
    fn new_variable(
        &mut self,
        is_local: bool,
        index: u16,
        ty: TyId,
        given: Option<Vec<LocalId>>,
        name: Option<String>,
    ) -> Translated<Variable> {
        if self.escaping.contains(&(is_local, index)) {
            let shape = self.cs.shape(ty)?;
            let class = self.cs.class_for(ClassKind::Cell(shape.clone()));
            let cell = self.temporary(Type::Class(class));
            let parts = match &given {
                Some(locals) => locals.iter().map(|local| self.body.locals[local.index()].clone()).collect(),
                None => self.named(name.as_deref(), ty)?,
            };
            self.views(cell, parts);
            self.op(OpKind::New { dst: cell, class });
            let fields = self.cs.program.class(class).fields.clone();
            for ((local, field), &to) in given.into_iter().flatten().zip(fields).zip(shape.iter()) {
                let value = self.local(local);
                let value = self.coerce_leaf(value, to)?;
                let object = self.local(cell);
                self.op(OpKind::PutField { object, field, value });
            }
            return Ok(Variable { ty, storage: Storage::Cell(cell, class, shape) });
        }
        let locals = match given {
            Some(locals) => locals,
            None => {
                let leaves = self.cs.leaves(ty)?;
                let named = |path: &str| name.as_ref().map(|name| part_name(name, path));
                leaves.iter().map(|leaf| self.variable_local(named(&leaf.path), leaf.ty)).collect()
            }
        };
        if let &Ty::Ref(target) = self.cs.ty(ty)
            && let [local] = locals[..]
            && let name = self.body.locals[local.index()].name.clone()
            && !name.starts_with('%')
        {
            let parts = self.named(Some(&name), target)?;
            self.views(local, parts);
        }
        let is_this = !is_local && index == 0 && self.signature.has_this;
        let is_scope = is_this || name.as_ref().is_some_and(|name| name.starts_with(SCOPE));
        if let [local] = locals[..]
            && is_scope
            && !self.cs.is_value(ty)
            && made_for(self.cs, ty).is_some()
        {
            let mut parts = Vec::new();
            self.captured(self.cs.class_of(ty), is_this, &mut parts, MOST_SCOPES);
            if is_this {
                tell_apart(&mut parts);
            }
            self.body.views.push(View { local, parts });
        }
        Ok(Variable { ty, storage: Storage::Locals(locals) })
    }

    /// The parts of a variable as users see them. A struct that the compiler makes for variables is those variables.
    fn named(&self, name: Option<&str>, ty: TyId) -> Translated<Vec<Local>> {
        let Some(name) = name else { return Ok(Vec::new()) };
        let is_made = made_for(self.cs, ty).is_some();
        let leaves = self.cs.leaves(ty)?;
        let name = |path: &str| if is_made { captured_name(path) } else { part_name(name, path) };
        Ok(leaves.iter().map(|leaf| Local { name: name(&leaf.path), ty: leaf.ty }).collect())
    }

    /// The variables in the objects of a class that the compiler makes for them, and those in the objects of outer scopes to which these refer:
    /// they are shown only where the objects of outer scopes are no variables themselves.
    fn captured(&self, class: ClassId, shows_outer: bool, parts: &mut Vec<Local>, depth: usize) {
        for field in self.cs.program.instance_fields(class) {
            let field = self.cs.program.field(field);
            match field.ty {
                Type::Class(outer) if self.cs.program.made_for(outer) == Some(MadeFor::Functions) => {
                    let first = parts.len();
                    if depth > 0 {
                        self.captured(outer, shows_outer, parts, depth - 1);
                    }
                    if !shows_outer {
                        parts[first..].iter_mut().for_each(|part| part.name.clear());
                    }
                }
                ty => parts.push(Local { name: captured_name(&field.name), ty }),
            }
        }
    }

    /// Lets users see what is behind a local.
    fn views(&mut self, local: LocalId, parts: Vec<Local>) {
        if !parts.is_empty() {
            self.body.views.push(View { local, parts });
        }
    }

    /// An argument or a local variable.
    pub(super) fn variable(&self, is_local: bool, index: u16) -> Translated<Variable> {
        let all = if is_local { &self.variables } else { &self.arguments };
        all.get(usize::from(index)).cloned().map_or_else(|| malformed("a variable that does not exist"), Ok)
    }

    /// Whether an argument is the receiver of a method of a struct, passed by its leaves.
    pub(super) fn is_receiver_by_value(&self, is_local: bool, index: u16) -> bool {
        !is_local
            && index == 0
            && self.signature.has_this
            && self.arguments.first().is_some_and(|variable| variable.ty == self.key.owner)
            && self.cs.is_value(self.key.owner)
    }

    /// The default value of a type.
    pub(super) fn default_leaf(&mut self, ty: Type) -> ExprId {
        self.expr(Expr::Const(Const::default_of(ty)))
    }

    /// The leaves of the default value of a type.
    pub(super) fn default_leaves(&mut self, ty: TyId) -> Translated<Leaves> {
        let leaves = self.cs.leaves(ty)?;
        Ok(leaves.iter().map(|leaf| self.default_leaf(leaf.ty)).collect())
    }

    /// The type and the number of the elements if a type is an inline array.
    pub(super) fn inline_array(&self, ty: TyId) -> Option<(TyId, u32)> {
        let is_struct = matches!(self.cs.ty(ty), Ty::Named(..)) && self.cs.kind(ty) == Kind::Struct;
        if is_struct { self.cs.inline_array(ty) } else { None }
    }

    /// Pushes a value.
    pub(super) fn push_leaves(&mut self, ty: TyId, leaves: Leaves) {
        self.push(Entry::Value(ty, leaves));
    }
}

/// The name of a variable that is a field of a class or struct that the compiler makes for variables: `<>4__this` is `this`, and `<i>5__2`
/// is the local `i` of an iterator or an async method. The name is empty if users cannot know the variable.
fn captured_name(field: &str) -> String {
    match field.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        None => field.into(),
        Some(("", "4__this")) => "this".into(),
        Some(("", _)) => String::new(),
        Some((name, suffix)) => {
            let path = suffix.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
            format!("{name}{path}")
        }
    }
}

/// Gives variables of several scopes that have one name a number each: which of them is in scope is not known where all have values at once.
fn tell_apart(parts: &mut [Local]) {
    let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    for (at, part) in parts.iter_mut().enumerate().filter(|(_, part)| !part.name.is_empty()) {
        if names.iter().filter(|name| **name == part.name).count() > 1 {
            let number = names[..=at].iter().filter(|name| **name == part.name).count();
            part.name = format!("{} ({number})", part.name);
        }
    }
}

/// The name of a part of a variable.
fn part_name(name: &str, path: &str) -> String {
    match (name, path) {
        ("", part) | (part, "") => part.to_string(),
        (name, path) => format!("{name}.{path}"),
    }
}
