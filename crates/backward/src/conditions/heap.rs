//! Heap reasoning of both strategies: values of new cells, and axioms about the input heap.

use super::Context;
use crate::graph::{Cell, Given, Graph, Step};
use crate::points::Points;
use aback_heap::{InputHeap, Value, sort_of};
use aback_ir::Type;
use aback_logic::{Pool, Sort, Term};

impl Context<'_> {
    /// The array from objects of the input heap to the contents of their cells; for elements, to arrays by index.
    pub fn input_array(&mut self, cell: Cell) -> Term {
        let (pool, program) = (&mut *self.pool, self.program);
        match cell {
            Cell::Field(field) => self.input.field(pool, program, field),
            Cell::Elements(group, sort) => {
                let element = self.element_type(sort);
                self.input.elements(self.pool, program, group, element)
            }
            Cell::Length(group) => self.input.lengths(pool, program, group),
            Cell::Tag(group) => self.input.tags(pool, group),
            Cell::Origin(array) => array,
        }
    }

    /// Some type whose values have this sort.
    fn element_type(&self, sort: Sort) -> Type {
        match sort {
            Sort::Bool => Type::Bool,
            Sort::BitVec(width) => Type::Machine { width: width as u8, signed: true },
            Sort::Float(aback_logic::FloatFormat::F32) => Type::F32,
            Sort::Float(aback_logic::FloatFormat::F64) => Type::F64,
            // References and unbounded integers. Only the sort matters.
            _ => Type::Int,
        }
    }

    /// The sort of the array for a family of cells.
    pub fn array_sort(&mut self, cell: Cell) -> Sort {
        let value = cell.sort(self.program);
        let value = match cell {
            Cell::Elements(..) => {
                let index = sort_of(self.program.index_type());
                self.pool.array_sort(index, value)
            }
            _ => value,
        };
        self.pool.array_sort(Sort::Int, value)
    }

    /// Reads the cell of an object from an array of cells.
    pub fn select(&mut self, array: Term, object: Term, index: Option<Term>) -> Term {
        let cell = self.pool.select(array, object);
        match index {
            Some(index) => self.pool.select(cell, index),
            None => cell,
        }
    }

    /// Stores a value into the cell of an object in an array of cells.
    pub fn store(&mut self, array: Term, object: Term, index: Option<Term>, value: Term) -> Term {
        let value = match index {
            Some(index) => {
                let row = self.pool.select(array, object);
                self.pool.store(row, index, value)
            }
            None => value,
        };
        self.pool.store(array, object, value)
    }

    /// The value of a cell of an object right after its allocation, and a condition that holds for the value. `None`
    /// if the object has no such cell. Without an index, elements are all elements, as an array. The length is a term
    /// over the variables at the allocation.
    pub fn new_cell(&mut self, object: u32, cell: Cell, index: Option<Term>) -> Option<(Term, Option<Term>)> {
        let allocated = &self.graph.objects[object as usize];
        let value = match (allocated.ty, cell) {
            (ty, Cell::Tag(_)) => self.pool.int(InputHeap::tag(ty)),
            (_, Cell::Origin(_)) => Pool::ZERO,
            (Type::Array(_), Cell::Length(_)) => allocated.length?,
            (Type::Class(class), Cell::Field(field)) => {
                let declared = self.program.field(field);
                if !self.program.is_subclass(class, declared.class) {
                    return None;
                }
                Value::default_of(declared.ty).to_term(self.pool, declared.ty)
            }
            (Type::Array(array), Cell::Elements(_, sort)) => {
                let element = self.program.element_type(array);
                if sort_of(element) != sort {
                    return None;
                }
                let given = match allocated.input.and_then(|input| self.graph.inputs.get(input as usize)) {
                    Some(&Given::Elements { array, .. }) => Some(array),
                    _ => None,
                };
                let Some(index) = index else {
                    let default = Value::default_of(element).to_term(self.pool, element);
                    let row = self.pool.array_sort(sort_of(self.program.index_type()), sort);
                    return Some((given.unwrap_or_else(|| self.pool.const_array(row, default)), None));
                };
                if let Some(array) = given {
                    let value = self.pool.select(array, index);
                    let axiom = element
                        .is_reference()
                        .then(|| self.input.reference_axiom(self.pool, self.program, self.layout, value, element));
                    return Some((value, axiom));
                }
                Value::default_of(element).to_term(self.pool, element)
            }
            _ => return None,
        };
        Some((value, None))
    }

    /// The condition that two cells of a family are the same, or that one contains the other: their objects and their
    /// indices are equal.
    pub fn same(&mut self, a: (Term, Option<Term>), b: (Term, Option<Term>)) -> Term {
        let object = self.pool.eq(a.0, b.0);
        match (a.1, b.1) {
            (Some(i), Some(j)) if object != Pool::FALSE => {
                let index = self.pool.eq(i, j);
                self.pool.and(object, index)
            }
            _ => object,
        }
    }

    /// What holds for the value that the cell of any object has in the arrays of the input heap. There, the cells of allocated
    /// objects have default values (erratum 5), which are not what cells of input objects must have: the array of a string is
    /// never null.
    pub fn array_axiom(&mut self, cell: Cell, of: Type, object: Term, value: Term) -> Term {
        let axiom = self.input_axiom(cell, of, object, value);
        let allows_default = match cell {
            Cell::Field(field) => !self.program.is_owned_array(field) && !self.program.is_never_null(field),
            Cell::Elements(..) => true,
            Cell::Length(_) | Cell::Tag(_) | Cell::Origin(_) => false,
        };
        if allows_default && !self.input.has_no_nulls() {
            return axiom;
        }
        let negative = self.pool.lt(object, Pool::ZERO);
        self.pool.implies(negative, axiom)
    }

    /// The condition that holds for every value in this cell of an object of the input heap.
    fn input_axiom(&mut self, cell: Cell, of: Type, object: Term, value: Term) -> Term {
        let (program, layout) = (self.program, self.layout);
        match cell {
            Cell::Field(field) => {
                let ty = program.field(field).ty;
                if program.is_owned_array(field) {
                    self.input.part_axiom(self.pool, program, layout, value, ty)
                } else if program.is_unset(field) {
                    let default = Value::default_of(ty).to_term(self.pool, ty);
                    self.pool.eq(value, default)
                } else if ty.is_reference() {
                    let axiom = self.input.reference_axiom(self.pool, program, layout, value, ty);
                    match program.is_never_null(field) {
                        true => {
                            let not_null = self.pool.ne(value, Pool::ZERO);
                            self.pool.and(axiom, not_null)
                        }
                        false => axiom,
                    }
                } else {
                    Pool::TRUE
                }
            }
            Cell::Length(_) => {
                let axiom = InputHeap::length_axiom(self.pool, program, value);
                let limit = self.input.length_limit(self.pool, program, layout, (object, of), value);
                self.pool.and(axiom, limit)
            }
            Cell::Elements(..) => self.element_axiom(of, object, value),
            Cell::Tag(_) => Pool::TRUE,
            Cell::Origin(_) => self.pool.eq(value, Pool::ZERO),
        }
    }

    /// The condition that an element fits into the array's exact type, which may be narrower than its static type.
    fn element_axiom(&mut self, of: Type, array: Term, value: Term) -> Term {
        let (program, layout) = (self.program, self.layout);
        let Type::Array(id) = of else { return Pool::TRUE };
        let element = program.element_type(id);
        if !element.is_reference() {
            return Pool::TRUE;
        }
        let mut facts = vec![self.input.reference_axiom(self.pool, program, layout, value, element)];
        for &exact in layout.exact_types(program, of).iter() {
            let Type::Array(id) = exact else { continue };
            let narrow = program.element_type(id);
            if narrow == element || !narrow.is_reference() {
                continue;
            }
            let is_exact = self.input.has_type(self.pool, layout, array, exact);
            let fits = self.input.reference_axiom(self.pool, program, layout, value, narrow);
            facts.push(self.pool.implies(is_exact, fits));
        }
        self.pool.and_all(&facts)
    }

    /// The condition that holds for all elements of an array of the input heap, as a quantified formula.
    pub fn row_axiom(&mut self, cell: Cell, of: Type, object: Term) -> Term {
        let Cell::Elements(group, _) = cell else { return Pool::TRUE };
        let at = self.pool.fresh_var("i", Sort::Int);
        let array = self.input_array(cell);
        let element = self.select(array, object, Some(at));
        let axiom = self.element_axiom(of, object, element);
        let lengths = self.input_array(Cell::Length(group));
        let length = self.pool.select(lengths, object);
        let all = self.pool.quantified(true, at, Pool::ZERO, length, axiom);
        let negative = self.pool.lt(object, Pool::ZERO);
        let axiom = self.pool.implies(negative, all);
        let quantified = self.graph.quantified.unwrap_or(Pool::FALSE);
        self.pool.implies(quantified, axiom)
    }

    /// The condition that a value is the contents of a cell of the input heap. It does not restrict cells of
    /// allocated objects. `points` is what the object may be.
    pub fn is_input(
        &mut self,
        cell: Cell,
        of: Type,
        (object, index): (Term, Option<Term>),
        value: Term,
        points: &Points,
    ) -> Term {
        let array = self.input_array(cell);
        let held = self.select(array, object, index);
        let is_held = self.pool.eq(value, held);
        if is_row(cell, index) {
            let axiom = self.row_axiom(cell, of, object);
            return self.pool.and(is_held, axiom);
        }
        let axiom = self.input_axiom(cell, of, object, value);
        // If the object is null, nothing is read, and the value in the formula may as well be null.
        let can_be_null = |cell| matches!(cell, Cell::Field(field) if !self.program.is_never_null(field));
        let is_any_null = can_be_null(cell) && !self.input.has_no_nulls();
        if is_any_null && points.as_ref().is_some_and(|points| !points.has_allocated()) {
            return self.pool.and(is_held, axiom);
        }
        let negative = self.pool.lt(object, Pool::ZERO);
        let axiom = self.pool.implies(negative, axiom);
        self.pool.and(is_held, axiom)
    }
}

/// Whether a cell means all elements of an array.
pub(crate) fn is_row(cell: Cell, index: Option<Term>) -> bool {
    matches!(cell, Cell::Elements(..)) && index.is_none()
}

/// Describes an operation in a few words.
pub(super) fn describe(cx: &Context, step: &Step) -> String {
    let show = |term: Term| cx.pool.show(term);
    let cell = |cell: Cell, object: Term, index: Option<Term>| match index {
        Some(index) => format!("{}[{}]", show(object), show(index)),
        None => format!("{}.{}", show(object), cell.name(cx.program)),
    };
    match step {
        Step::Nothing => String::new(),
        Step::Assign { target, value } => format!("{} := {}", show(*target), show(*value)),
        Step::Defaults(values) => {
            let values: Vec<String> =
                values.iter().map(|&(local, value)| format!("{} := {}", show(local), show(value))).collect();
            values.join(", ")
        }
        Step::New { target, object } => {
            let ty = cx.graph.objects[*object as usize].ty;
            format!("{} := new {}", show(*target), cx.program.type_name(ty))
        }
        Step::Read { target, cell: of, object, index, .. } => {
            format!("{} := {}", show(*target), cell(*of, *object, *index))
        }
        Step::Write { cell: of, object, index, value, .. } => {
            format!("{} := {}", cell(*of, *object, *index), show(*value))
        }
        Step::Input { target, .. } => format!("{} := any", show(*target)),
        Step::Leaf(_) => "end".into(),
    }
}

/// The number of an allocated object as a term.
pub(super) fn object_term(cx: &mut Context, object: u32) -> Term {
    Graph::object_term(cx.pool, object)
}
