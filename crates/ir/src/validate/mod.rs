//! Checks that a program is well-formed.
//!
//! Engines rely on these checks and do not repeat them: ids are in range, types fit, every block that control can name
//! exists. A front end whose output has a [`Problem`] has a defect.

mod body;
mod declarations;
mod expressions;
mod ids;
mod operations;
mod problem;

pub use problem::{Place, Problem, ProblemKind};

use crate::body::Body;
use crate::program::{ClassId, MethodId, Program, Trap, Type};
use crate::span::{FileId, Span};
use body::BodyChecker;
use rustc_hash::FxHashSet;

/// All problems of `program`: ids out of range, cyclic hierarchies, expressions that are used before they are defined,
/// operands and results whose types do not fit, calls that do not match their callee, traps without a class. The list
/// is empty if engines can run the program. If a part is broken, the parts that depend on it are not checked, so that
/// one defect causes few messages.
pub fn validate(program: &Program) -> Vec<Problem> {
    let mut checker = Checker::new(program);
    checker.types();
    checker.classes();
    checker.members();
    // Checks of bodies use type relations, which need sound declarations.
    if checker.problems.iter().any(|p| !matches!(p.kind, ProblemKind::Duplicate { .. })) {
        return checker.problems;
    }
    for (id, _) in program.methods() {
        checker.code(id);
    }
    checker.problems
}

/// The problems of one method's code. The declarations of the program must be well-formed.
pub fn validate_method(program: &Program, method: MethodId) -> Vec<Problem> {
    let mut checker = Checker::new(program);
    checker.code(method);
    checker.problems
}

/// The problems of a body for a method, without checks of the class hierarchy: any reference may replace any other one.
/// Loads only the classes whose objects the body makes.
pub fn validate_body(program: &Program, method: MethodId, body: &Body) -> Vec<Problem> {
    let mut checker = Checker { hierarchy_counts: false, ..Checker::new(program) };
    checker.body(method, body);
    checker.problems
}

struct Checker<'p> {
    program: &'p Program,
    problems: Vec<Problem>,
    /// Traps whose missing class has been reported.
    trapless: FxHashSet<Trap>,
    /// Whether references must have the expected class.
    hierarchy_counts: bool,
}

impl<'p> Checker<'p> {
    fn new(program: &'p Program) -> Self {
        Checker { program, problems: Vec::new(), trapless: FxHashSet::default(), hierarchy_counts: true }
    }

    fn report(&mut self, place: &Place, kind: ProblemKind) {
        self.problems.push(Problem { place: place.clone(), kind });
    }

    fn class_place(&self, id: ClassId) -> Place {
        Place { name: self.program.class(id).name.clone(), class: Some(id), ..Place::default() }
    }

    fn method_place(&self, id: MethodId) -> Place {
        let class = self.program.method(id).class;
        Place { name: self.program.method_name(id), class: Some(class), method: Some(id), ..Place::default() }
    }

    fn code(&mut self, method: MethodId) {
        if let Some(body) = self.program.body(method) {
            self.body(method, body);
        }
    }

    fn body(&mut self, method: MethodId, body: &Body) {
        let place = self.method_place(method);
        if self.ids(body, &place) {
            BodyChecker { body, method, types: body.expr_types(), checker: self }.run(place);
        }
    }

    fn in_range(&mut self, what: &'static str, index: u32, count: usize, place: &Place) -> bool {
        let known = (index as usize) < count;
        if !known {
            self.report(place, ProblemKind::NoSuch { what, index });
        }
        known
    }

    fn class_id(&mut self, class: ClassId, place: &Place) -> bool {
        self.in_range("class", class.0, self.program.class_count(), place)
    }

    fn ty(&mut self, ty: Type, place: &Place) {
        match ty {
            Type::Class(class) => {
                self.class_id(class, place);
            }
            Type::Array(array) => {
                self.in_range("array type", array.0, self.program.array_type_count(), place);
            }
            Type::Machine { width: 8 | 16 | 32 | 64, .. } => {}
            Type::Machine { width, .. } => self.report(place, ProblemKind::MachineWidth(width)),
            Type::Bool | Type::Int | Type::F32 | Type::F64 | Type::Null => {}
        }
    }

    fn span(&mut self, span: Span, place: &Place) {
        let FileId(file) = span.file;
        if span.is_known() {
            self.in_range("file", file, self.program.file_count(), place);
        }
    }

    fn assignable(&mut self, from: Type, to: Type, what: &'static str, place: &Place) {
        let fits = match self.hierarchy_counts {
            true => self.program.is_assignable(from, to),
            false => from == to || from.is_reference() && to.is_reference(),
        };
        if !fits {
            self.wrong_type(what, &self.program.type_name(to), from, place);
        }
    }

    fn wrong_type(&mut self, what: &'static str, expected: &str, found: Type, place: &Place) {
        let found = self.program.type_name(found);
        self.report(place, ProblemKind::WrongType { what, expected: expected.to_owned(), found });
    }
}
