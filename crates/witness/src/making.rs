//! Notes the calls that make the inputs of a run ([`aback_ir::Program::with_made_inputs`]).

use crate::observer::Observer;
use crate::outcome::Place;
use crate::show::{show_name, show_typed, show_value};
use crate::state::{Frame, State};
use crate::value::{Address, Value};
use aback_ir::{Body, Const, Expr, ExprId, LocalId, MethodId, MethodKind, OpKind};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A call that makes an object or changes it, before the entry point is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MakingCall {
    /// The method.
    pub method: MethodId,
    /// Its arguments; the first one of a constructor is the object that it makes.
    pub arguments: Vec<Value>,
    /// The object that the call makes: that of a constructor, or the result of a static method.
    pub made: Option<Address>,
    /// The call for users: `Account#1.deposit(5)`. Empty for a call within another one, such as `Integer.valueOf(5)`.
    pub text: String,
}

/// Observes the calls that make the inputs of a run.
#[derive(Default, Debug)]
pub struct MakingCalls {
    calls: Vec<MakingCall>,
    /// Calls of static methods whose results are not there yet: the number of activations, the call, and the local that
    /// gets the result.
    open: Vec<(usize, usize, LocalId)>,
    /// The texts of objects that are written where they are used.
    texts: FxHashMap<Address, String>,
    /// The objects that were allocated while inputs were made.
    allocated: Vec<Range<usize>>,
    is_making: bool,
}

impl MakingCalls {
    /// The calls so far, in order.
    pub fn calls(&self) -> &[MakingCall] {
        &self.calls
    }

    /// Whether an object was allocated while inputs were made.
    pub fn has_allocated(&self, address: Address) -> bool {
        self.allocated.iter().any(|range| range.contains(&address.index()))
    }

    /// The calls for users.
    pub fn texts(&self) -> Vec<String> {
        self.calls.iter().map(|call| call.text.clone()).filter(|text| !text.is_empty()).collect()
    }

    fn notes_allocations(&mut self, state: &State<'_>) {
        let is_making = state.frame(1).is_some_and(|frame| state.program().is_maker(frame.method));
        let size = state.heap().len();
        match (self.is_making, is_making) {
            (false, true) => self.allocated.push(size..size),
            (true, _) => {
                if let Some(last) = self.allocated.last_mut() {
                    last.end = size;
                }
            }
            _ => {}
        }
        self.is_making = is_making;
    }

    /// Notes the results of static methods that have returned.
    fn notes_results(&mut self, state: &State<'_>) {
        while let Some((_, call, local)) = self.open.pop_if(|(depth, ..)| state.depth() <= *depth) {
            let value = state.top().and_then(|frame| frame.local(local).cloned());
            let Some(Value::Ref(address)) = value else { continue };
            let call = &mut self.calls[call];
            call.made = Some(address);
            let is_written_out = state.program().is_library_method(call.method);
            if is_written_out {
                let text = std::mem::take(&mut call.text);
                self.texts.insert(address, text);
            } else {
                call.text = format!("{} = {}", show_name(state, address), call.text);
            }
        }
    }

    /// Notes a call that a maker is about to make.
    fn notes_call(&mut self, state: &State<'_>, frame: &Frame<'_>, op: &OpKind, body: &Body) {
        let OpKind::Call { dst, method, args, .. } = op else { return };
        let (method, program) = (*method, state.program());
        if program.is_maker(method) || program.is_synthetic(method) {
            return;
        }
        let Some(arguments) = args.iter().map(|&arg| value(body, frame, arg)).collect::<Option<Vec<Value>>>() else {
            return;
        };
        let declared = program.method(method);
        let own = usize::from(declared.kind != MethodKind::Static);
        let shown: Vec<String> = arguments
            .iter()
            .zip(&declared.params)
            .skip(own)
            .map(|(value, &ty)| self.argument(state, value, ty))
            .collect();
        let shown = shown.join(", ");
        let object = match arguments.first() {
            Some(&Value::Ref(address)) if own == 1 => Some(address),
            _ => None,
        };
        let name = |address| show_name(state, address);
        let class = |name: &str| name.split('#').next().unwrap_or_default().to_owned();
        let text = match (declared.kind, object) {
            (MethodKind::Constructor, Some(object)) => {
                let name = name(object);
                format!("{name} = new {}({shown})", class(&name))
            }
            (MethodKind::Instance, Some(object)) => format!("{}.{}({shown})", name(object), declared.name),
            _ => {
                let class = program.class_name(declared.class);
                let class = class.rsplit(['.', '$', '+']).next().unwrap_or(class);
                format!("{class}.{}({shown})", declared.name)
            }
        };
        let made = object.filter(|_| declared.kind == MethodKind::Constructor);
        self.calls.push(MakingCall { method, arguments, made, text });
        if let (MethodKind::Static, Some(dst)) = (declared.kind, dst) {
            self.open.push((state.depth(), self.calls.len() - 1, *dst));
        }
    }

    fn argument(&self, state: &State<'_>, value: &Value, ty: aback_ir::Type) -> String {
        match value {
            Value::Ref(address) => match self.texts.get(address) {
                Some(text) => text.clone(),
                None if state.heap().is_string(*address) => show_value(state, value),
                None => show_name(state, *address),
            },
            value => show_typed(state, value, ty),
        }
    }
}

impl Observer for MakingCalls {
    fn step(&mut self, state: &State<'_>, place: Place) {
        let program = state.program();
        if !program.prepares_inputs() {
            return;
        }
        self.notes_allocations(state);
        if !self.open.is_empty() {
            self.notes_results(state);
        }
        if !program.is_maker(place.method) {
            return;
        }
        let (Some(frame), Some(body)) = (state.top(), program.body(place.method)) else { return };
        let block = body.blocks.get(place.point.block.index());
        if let Some(op) = block.and_then(|block| block.ops.get(place.point.op as usize)) {
            self.notes_call(state, &frame, &op.kind, body);
        }
    }
}

/// The value of an argument that a maker passes.
fn value(body: &Body, frame: &Frame<'_>, expr: ExprId) -> Option<Value> {
    match body.expr(expr) {
        Expr::Local(local) => frame.local(*local).cloned(),
        Expr::Const(Const::Null) => Some(Value::Null),
        _ => None,
    }
}
