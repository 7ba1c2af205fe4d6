//! Passes references to platform code, whose own code is not analysed: the front end describes what it does with them.

use super::types::are_related;
use super::{Flow, merge, merge_roots, note};
use crate::analysis::callbacks::is_made_up;
use crate::analysis::origins::{NEW, Origins};
use crate::analysis::reached::{is_looked_at, is_mutable, runs_platform_code, targets};
use crate::body::{Body, Dispatch, Expr, ExprId};
use crate::program::{ClassId, MethodId, MethodKind, Program, Type};
use crate::runtime::{Extent, Made, MadeFor, Passing};
use std::rc::Rc;

/// What a call runs.
pub(super) struct Called {
    /// The methods whose code is analysed.
    pub(super) targets: Vec<MethodId>,
    /// What platform code does with its arguments, if the call may run platform code.
    pub(super) platform: Option<Platform>,
}

/// What platform code does with the arguments of a call.
pub(super) struct Platform {
    passing: Passing,
    /// Whether it may change an argument, by index.
    changes: Vec<bool>,
    /// Whether it has no objects of watched classes as receivers: see [`Flow::is_code_of_watched`].
    pub(super) is_without_watched: bool,
}

impl<'p> Flow<'p> {
    pub(super) fn called(&self, dispatch: Dispatch, named: MethodId, args: usize) -> Rc<Called> {
        let program = self.program;
        let is_virtual = dispatch == Dispatch::Virtual;
        if let Some(known) = self.known.calls.borrow().get(&(is_virtual, named)) {
            return known.clone();
        }
        let platform = runs_platform_code(program, dispatch, named).then(|| Platform {
            passing: program.passing(named),
            changes: (0..args).map(|index| program.may_change(named, index)).collect(),
            is_without_watched: is_virtual && self.is_code_of_watched(named),
        });
        let called = Rc::new(Called { targets: targets(program, dispatch, named), platform });
        self.known.calls.borrow_mut().insert((is_virtual, named), called.clone());
        called
    }

    /// Whether a virtual call runs code of the program if the receiver is an object of a watched class.
    pub(super) fn is_code_of_watched(&self, named: MethodId) -> bool {
        let program = self.program;
        let class = program.method(named).class;
        let mut possible = self.watched.iter().filter(|&&watched| program.is_subclass(watched, class));
        possible.all(|&watched| is_looked_at(program, program.method(program.dispatch(watched, named)).class))
    }

    /// Passes arguments to platform code. Returns the origins of the result.
    pub(super) fn pass_away(
        &mut self,
        method: MethodId,
        body: &'p Body,
        (named, platform): (MethodId, &Platform),
        args: &[ExprId],
        origins: &[Origins],
    ) -> Origins {
        let program = self.program;
        let declared = program.method(named);
        let passing = platform.passing;
        let all = |filter: &dyn Fn(usize) -> bool| {
            let chosen = origins.iter().enumerate().filter(|&(index, _)| filter(index));
            chosen.fold(Origins::NONE, |all, (_, &origins)| all | origins)
        };
        let behind: Vec<Origins> = args.iter().map(|&arg| self.behind(body.expr_type(arg))).collect();
        let passed = behind.iter().fold(all(&|_| true), |all, &contents| all | contents);
        merge_roots(&mut self.is_moving, &mut self.facts.given, passed.roots());
        if passed.roots() & NEW != 0 {
            let is_pointer =
                |&arg: &ExprId| matches!(body.expr_type(arg), Type::Class(class) if program.is_pointer(class));
            note(&mut self.is_moving, &mut self.facts.is_new_given_with_pointer, args.iter().any(is_pointer));
        }
        for (index, &arg) in args.iter().enumerate() {
            if self.is_change(method, origins[index].roots()) && platform.changes[index] {
                let changed = origins[index].itself();
                if changed != 0 {
                    match body.expr_type(arg) {
                        ty @ Type::Class(_) if self.may_be_array(ty) => {
                            self.facts.changed_through |= changed;
                            false
                        }
                        Type::Array(array) => {
                            self.facts.changed_elements.insert((program.element_type(array), changed))
                        }
                        ty => self.facts.changed_objects.insert((ty, changed)),
                    };
                }
                if passing.changes_through {
                    self.facts.changed_through |= origins[index].changed_with();
                }
            }
            if self.is_change(method, behind[index].roots()) && platform.changes[index] {
                self.facts.changed_through |= behind[index].itself() | behind[index].changed_with();
            }
        }
        let changes_array =
            |index: usize| platform.changes[index] && matches!(body.expr_type(args[index]), Type::Array(_));
        if passed != Origins::NONE && (0..args.len()).any(changes_array) {
            // What an array has in it, or another argument.
            let stored = args.iter().zip(origins).map(|(&arg, &origins)| match body.expr_type(arg) {
                Type::Array(array) if is_mutable(program, program.element_type(array)) => origins.part(),
                Type::Array(_) => Origins::NONE,
                _ => origins | origins.part(),
            });
            let stored = stored.fold(Origins::NONE, |all, stored| all | stored);
            merge(&mut self.is_moving, &mut self.facts.elements, stored);
        }
        let is_static = declared.kind == MethodKind::Static;
        if passing.keeps && is_static && !declared.result.is_some_and(Type::is_reference) {
            let is_new = passed.roots() & NEW != 0;
            note(&mut self.is_moving, &mut self.facts.is_new_kept_by_library, is_new);
        }
        if passing.keeps {
            // The receiver is not kept by anything new: its caller already holds it.
            let own = usize::from(declared.kind != MethodKind::Static);
            merge_roots(&mut self.is_moving, &mut self.facts.held, all(&|index| index >= own).roots());
        }
        if passing.publishes && self.is_earlier(method) {
            self.publish(passed);
        }
        let is_constructor = declared.kind == MethodKind::Constructor;
        // Methods may return objects that platform objects keep. A constructor's new object is unrelated to these.
        let within = passed.roots() | if is_constructor { 0 } else { self.facts.held };
        let made = match passing.made {
            Made::Views => Origins::view(within),
            Made::Holds => Origins::holder(within),
            Made::Flat => {
                let is_like = |index: usize| {
                    declared.result.is_some_and(|ty| are_related(program, body.expr_type(args[index]), ty))
                };
                all(&is_like)
            }
        };
        // A new object may keep the arguments of its constructor.
        if let (true, Some(&object)) = (is_constructor, args.first())
            && let Expr::Local(local) = *body.expr(object)
        {
            self.set(method, body, local, made);
        }
        made
    }

    /// The origins of the references that platform code finds in arrays of a type, and in the places to which managed
    /// pointers of a type may point.
    pub(super) fn behind(&self, ty: Type) -> Origins {
        let program = self.program;
        match ty {
            Type::Class(class) if program.is_pointer(class) => {
                let readers = self.readers(class);
                let results = readers.iter().filter_map(|method| self.facts.results.get(method));
                results.fold(self.facts.elements, |all, &result| all | result)
            }
            ty if self.facts.elements != Origins::NONE && self.may_be_array(ty) => self.facts.elements,
            _ => Origins::NONE,
        }
    }

    fn readers(&self, pointer: ClassId) -> Rc<[MethodId]> {
        let program = self.program;
        // Some methods give another pointer.
        let reads = |method: &MethodId| {
            let result = program.method(*method).result;
            result.is_some_and(|ty| !matches!(ty, Type::Class(class) if program.is_pointer(class)))
        };
        let find = || {
            let classes = program.subclasses(pointer).into_iter();
            classes.flat_map(|class| &program.class(class).methods).copied().filter(reads).collect()
        };
        self.known.readers.borrow_mut().entry(pointer).or_insert_with(find).clone()
    }

    /// Whether an array of references, or an object that consists of arrays, may have a type.
    pub(super) fn may_be_array(&self, ty: Type) -> bool {
        let program = self.program;
        *self.known.arrays.borrow_mut().entry(ty).or_insert_with(|| match ty {
            Type::Class(class) => may_be_array(program, class),
            Type::Array(array) => is_mutable(program, program.element_type(array)),
            _ => false,
        })
    }

    /// Whether platform code may call a method. Synthetic function objects implement library interfaces, too.
    pub(super) fn is_called_back(&self, method: MethodId) -> bool {
        let declared = self.program.method(method);
        let is_made_up = is_made_up(self.program, declared.class);
        declared.kind == MethodKind::Instance && (is_made_up || self.called_back.contains(&method))
    }

    /// Records that platform code gets the result of a method and may change it. Class objects pass their constants to
    /// nobody, and synthetic operations of function objects do not, either. What code does with the contents of a place
    /// is known where it gets the pointer.
    pub(super) fn pass_back(&mut self, method: MethodId, ty: Type, origins: Origins) {
        let declared = self.program.method(method);
        let is_operation = match is_made_up(self.program, declared.class) {
            true => declared.name.starts_with('$'),
            false => self.program.is_synthetic(method),
        };
        if is_operation || self.program.is_pointer(declared.class) {
            return;
        }
        let is_of_class =
            self.program.supertypes(declared.class).into_iter().any(|class| self.program.is_immutable(class));
        if self.is_called_back(method) && !is_of_class && is_mutable(self.program, ty) {
            // Nothing calls the methods of new objects of watched classes before platform code has got one.
            let unknown = if self.facts.given & NEW == 0 { NEW } else { 0 };
            merge_roots(&mut self.is_moving, &mut self.facts.held, origins.roots() & !unknown);
            self.facts.changed_through |= origins.itself() | origins.changed_with();
        }
    }

    /// Whether platform code may pass a new object of a watched class to methods of a class, if it has one. It passes
    /// nothing to iterators and async methods except their own state, and writes to a variable what it has when it gets
    /// the pointer.
    pub(super) fn gets_new(&self, class: ClassId) -> bool {
        let program = self.program;
        if program.is_pointer(class) {
            return self.facts.held & NEW != 0 || self.facts.is_new_given_with_pointer;
        }
        matches!(program.made_for(class), None | Some(MadeFor::Functions))
    }
}

/// Whether an array, or an object that consists of arrays, may have a class as its type.
fn may_be_array(program: &Program, class: ClassId) -> bool {
    let is_array = |id| program.owned_arrays(id).is_some_and(|owned| !matches!(owned.extent, Extent::Used { .. }));
    let is_of = |id: ClassId| is_array(id) && program.is_subclass(id, class);
    program.is_root(class)
        || program.array_types().any(|(id, _)| program.is_assignable(Type::Array(id), Type::Class(class)))
        || program.classes().any(|(id, _)| is_of(id))
}
