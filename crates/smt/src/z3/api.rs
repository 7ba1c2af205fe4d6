//! Calls Z3. All `unsafe` code of this crate is in this file.
//!
//! The bindings are `z3-sys` and not the safe `z3` crate: the latter panics if Z3 reports an error, keeps one context
//! per thread, and lacks conversions from bit-vectors to floats and the interruption of a single solver.
//!
//! The calls are sound for the following reasons. A [`Session`] owns one context and one solver and frees both in its
//! `drop`. Only a session makes handles ([`Ast`], [`Sort`], [`Decl`]). They are private to `z3/`, and each
//! [`super::Z3Solver`] has one session, so that a handle only ever returns to the session that made it. Every handle
//! is retained when it is made ([`Session::keep`]) and released when the session is dropped, so a handle is valid as
//! long as its session. Sessions are not `Send`: all calls except checks and interruption come from one thread.
//! Checks run in the session's worker thread while the calling thread waits. A check that ignores an interruption is
//! abandoned together with its context. The session is then lost, and makes no more calls.

use super::with_stack;
use super::worker::Worker;
use crate::solver::{Approach, Reason};
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_uint};
use std::marker::PhantomData;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use z3_sys::*;

/// Whether this process has abandoned a check.
static HAS_LOST: AtomicBool = AtomicBool::new(false);

/// Ends this process. If an abandoned check may still run, exit handlers are skipped, because Z3's handlers would
/// free memory that the check uses. Buffered output must be written before.
pub fn exit(status: u8) -> ! {
    if HAS_LOST.load(Ordering::SeqCst) {
        // SAFETY: `_exit` ends the process regardless of its other threads.
        unsafe { libc::_exit(status.into()) }
    }
    std::process::exit(status.into())
}

/// A formula or term of Z3.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Ast(Z3_ast);

/// A sort of Z3.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sort(Z3_sort);

/// The declaration of a constant or function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Decl(Z3_func_decl);

/// A context with one solver.
pub(super) struct Session {
    context: Z3_context,
    solver: Z3_solver,
    /// The rounding mode to nearest, ties to even.
    nearest: Ast,
    /// The rounding mode toward zero.
    toward_zero: Ast,
    /// All asts (including sorts) in order of creation.
    retained: RefCell<Vec<Z3_ast>>,
    /// The thread that runs checks; it starts with the first check.
    worker: RefCell<Option<Worker<Z3_lbool>>>,
    /// Whether a check was abandoned. The check then owns the context and everything in it.
    is_lost: Cell<bool>,
    /// Handles of one session are used in one thread.
    not_send: PhantomData<*const ()>,
}

/// The version of the linked Z3, such as `4.12.1`.
pub fn version() -> String {
    let [mut major, mut minor, mut build, mut revision]: [c_uint; 4] = Default::default();
    // SAFETY: the pointers are to variables that outlive the call, which needs no context.
    unsafe { Z3_get_version(&mut major, &mut minor, &mut build, &mut revision) };
    format!("{major}.{minor}.{build}")
}

/// Calls a Z3 function of this session and retains its result.
macro_rules! make {
    ($self:ident, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: the context is alive, and all handles among the arguments belong to the session (see the module
        // documentation). Pointers are to slices that outlive the call and are passed with their lengths.
        let made = unsafe { $function($self.context $(, $argument)*) };
        $self.keep(made)
    }};
}

/// Defines functions from a fixed number of terms to a term.
macro_rules! operators {
    ($($name:ident($($argument:ident),*) = $function:ident;)*) => {
        impl Session {
            $(
                #[doc = concat!("`", stringify!($function), "`")]
                pub(super) fn $name(&self $(, $argument: Ast)*) -> Result<Ast, Reason> {
                    make!(self, $function $(, $argument.0)*)
                }
            )*
        }
    };
}

operators! {
    not(a) = Z3_mk_not;
    implies(a, b) = Z3_mk_implies;
    ite(c, a, b) = Z3_mk_ite;
    eq(a, b) = Z3_mk_eq;
    int_div(a, b) = Z3_mk_div;
    int_mod(a, b) = Z3_mk_mod;
    int_le(a, b) = Z3_mk_le;
    int_lt(a, b) = Z3_mk_lt;
    bv_add(a, b) = Z3_mk_bvadd;
    bv_mul(a, b) = Z3_mk_bvmul;
    bv_udiv(a, b) = Z3_mk_bvudiv;
    bv_urem(a, b) = Z3_mk_bvurem;
    bv_sdiv(a, b) = Z3_mk_bvsdiv;
    bv_srem(a, b) = Z3_mk_bvsrem;
    bv_and(a, b) = Z3_mk_bvand;
    bv_or(a, b) = Z3_mk_bvor;
    bv_xor(a, b) = Z3_mk_bvxor;
    bv_shl(a, b) = Z3_mk_bvshl;
    bv_lshr(a, b) = Z3_mk_bvlshr;
    bv_ashr(a, b) = Z3_mk_bvashr;
    bv_not(a) = Z3_mk_bvnot;
    bv_neg(a) = Z3_mk_bvneg;
    bv_ult(a, b) = Z3_mk_bvult;
    bv_ule(a, b) = Z3_mk_bvule;
    bv_slt(a, b) = Z3_mk_bvslt;
    bv_sle(a, b) = Z3_mk_bvsle;
    concat(a, b) = Z3_mk_concat;
    float_neg(a) = Z3_mk_fpa_neg;
    float_abs(a) = Z3_mk_fpa_abs;
    float_bits(a) = Z3_mk_fpa_to_ieee_bv;
    float_eq(a, b) = Z3_mk_fpa_eq;
    float_lt(a, b) = Z3_mk_fpa_lt;
    float_le(a, b) = Z3_mk_fpa_leq;
    float_is_nan(a) = Z3_mk_fpa_is_nan;
    select(a, i) = Z3_mk_select;
    store(a, i, v) = Z3_mk_store;
}

/// Defines functions that round to the nearest float.
macro_rules! rounded {
    ($($name:ident = $function:ident;)*) => {
        impl Session {
            $(
                #[doc = concat!("`", stringify!($function), "`, rounded to nearest")]
                pub(super) fn $name(&self, a: Ast, b: Ast) -> Result<Ast, Reason> {
                    make!(self, $function, self.nearest.0, a.0, b.0)
                }
            )*
        }
    };
}

rounded! {
    float_add = Z3_mk_fpa_add;
    float_sub = Z3_mk_fpa_sub;
    float_mul = Z3_mk_fpa_mul;
    float_div = Z3_mk_fpa_div;
}

/// Defines functions from any number of terms to a term.
macro_rules! lists {
    ($($name:ident = $function:ident;)*) => {
        impl Session {
            $(
                #[doc = concat!("`", stringify!($function), "`")]
                pub(super) fn $name(&self, parts: &[Ast]) -> Result<Ast, Reason> {
                    let parts: Vec<Z3_ast> = parts.iter().map(|part| part.0).collect();
                    make!(self, $function, length(&parts)?, parts.as_ptr())
                }
            )*
        }
    };
}

lists! {
    and = Z3_mk_and;
    or = Z3_mk_or;
    sum = Z3_mk_add;
    product = Z3_mk_mul;
}

fn length<T>(slice: &[T]) -> Result<c_uint, Reason> {
    c_uint::try_from(slice.len()).map_err(|_| Reason::Unsupported("a term of that many parts".into()))
}

fn text(bytes: impl Into<Vec<u8>>) -> CString {
    // The names in this crate have no zero byte; a name with one would become empty.
    CString::new(bytes).unwrap_or_default()
}

impl Session {
    /// A new context with a solver.
    pub(super) fn new() -> Result<Self, Reason> {
        let failed = || Reason::Failed("Z3 cannot be started".into());
        // SAFETY: the configuration is made and freed here; the context is made with it and freed in `drop`. Without
        // an error handler, Z3 reports errors by null results and error codes.
        let context = unsafe {
            let config = Z3_mk_config().ok_or_else(failed)?;
            let context = Z3_mk_context_rc(config);
            Z3_del_config(config);
            let context = context.ok_or_else(failed)?;
            Z3_set_error_handler(context, None);
            context
        };
        // SAFETY: `context` is alive; the solver is retained at once and released in `drop`. The rounding modes are retained
        // and live as long as the context.
        let made = unsafe {
            let solver = Z3_mk_solver(context);
            if let Some(solver) = solver {
                Z3_solver_inc_ref(context, solver);
            }
            let retained = |ast: Option<Z3_ast>| ast.inspect(|&ast| Z3_inc_ref(context, ast));
            let nearest = retained(Z3_mk_fpa_round_nearest_ties_to_even(context));
            let toward_zero = retained(Z3_mk_fpa_round_toward_zero(context));
            solver.zip(nearest.zip(toward_zero))
        };
        match made {
            Some((solver, (nearest, toward_zero))) => Ok(Session {
                context,
                solver,
                nearest: Ast(nearest),
                toward_zero: Ast(toward_zero),
                retained: RefCell::new(vec![nearest, toward_zero]),
                worker: RefCell::new(None),
                is_lost: Cell::new(false),
                not_send: PhantomData,
            }),
            None => {
                // SAFETY: this context has not been passed to anyone else.
                unsafe { Z3_del_context(context) };
                Err(failed())
            }
        }
    }

    /// Runs `run` with an empty solver in place of the session's own.
    pub(super) fn afresh<R>(&mut self, approach: Approach, run: impl FnOnce(&Session) -> R) -> Result<R, Reason> {
        // SAFETY: the context is alive; the solver is retained at once.
        let fresh = unsafe {
            let fresh = match approach {
                Approach::Direct => Z3_mk_simple_solver(self.context),
                Approach::Prepared => Z3_mk_solver(self.context),
            };
            let fresh = fresh.ok_or_else(|| self.error())?;
            Z3_solver_inc_ref(self.context, fresh);
            fresh
        };
        let known = std::mem::replace(&mut self.solver, fresh);
        let result = run(self);
        self.solver = known;
        if self.is_lost() {
            return Ok(result);
        }
        // SAFETY: the solver was retained once, and the session has its own solver again.
        unsafe { Z3_solver_dec_ref(self.context, fresh) };
        Ok(result)
    }

    /// Retains a new ast, or returns Z3's error.
    fn keep(&self, made: Option<Z3_ast>) -> Result<Ast, Reason> {
        match made {
            Some(ast) => {
                self.retain(ast);
                Ok(Ast(ast))
            }
            None => Err(self.error()),
        }
    }

    fn retain(&self, ast: Z3_ast) {
        // SAFETY: this context has just made `ast`, so it is alive.
        unsafe { Z3_inc_ref(self.context, ast) };
        self.retained.borrow_mut().push(ast);
    }

    /// Z3's last error.
    fn error(&self) -> Reason {
        // SAFETY: the context is alive; the message is copied before the next call.
        let message = unsafe {
            let message = Z3_get_error_msg(self.context, Z3_get_error_code(self.context));
            string(message)
        };
        Reason::Failed(format!("Z3: {message}"))
    }

    fn checked(&self) -> Result<(), Reason> {
        // SAFETY: the context is alive.
        match unsafe { Z3_get_error_code(self.context) } {
            ErrorCode::Ok => Ok(()),
            _ => Err(self.error()),
        }
    }

    /// Sets numeric parameters of the solver. Z3's own handler of Ctrl-C is always disabled.
    pub(super) fn configure(&self, values: &[(&str, u32)]) -> Result<(), Reason> {
        // SAFETY: the parameter set is retained while it is used. Symbols live as long as the context; names are
        // zero-terminated and outlive their calls.
        unsafe {
            let symbol = |name: &str| Z3_mk_string_symbol(self.context, text(name).as_ptr());
            let params = Z3_mk_params(self.context).ok_or_else(|| self.error())?;
            Z3_params_inc_ref(self.context, params);
            for &(name, value) in values {
                if let Some(name) = symbol(name) {
                    Z3_params_set_uint(self.context, params, name, value);
                }
            }
            if let Some(name) = symbol("ctrl_c") {
                Z3_params_set_bool(self.context, params, name, false);
            }
            Z3_solver_set_params(self.context, self.solver, params);
            let result = self.checked();
            Z3_params_dec_ref(self.context, params);
            result
        }
    }

    fn sort(&self, made: Option<Z3_sort>) -> Result<Sort, Reason> {
        let sort = made.ok_or_else(|| self.error())?;
        // SAFETY: this context has just made the sort. A sort is a kind of ast.
        if let Some(ast) = unsafe { Z3_sort_to_ast(self.context, sort) } {
            self.retain(ast);
        }
        Ok(Sort(sort))
    }

    pub(super) fn bool_sort(&self) -> Result<Sort, Reason> {
        // SAFETY: the context is alive.
        self.sort(unsafe { Z3_mk_bool_sort(self.context) })
    }

    pub(super) fn int_sort(&self) -> Result<Sort, Reason> {
        // SAFETY: the context is alive.
        self.sort(unsafe { Z3_mk_int_sort(self.context) })
    }

    pub(super) fn bv_sort(&self, width: u32) -> Result<Sort, Reason> {
        // SAFETY: the context is alive.
        self.sort(unsafe { Z3_mk_bv_sort(self.context, width) })
    }

    pub(super) fn float_sort(&self, exponent: u32, significand: u32) -> Result<Sort, Reason> {
        // SAFETY: the context is alive.
        self.sort(unsafe { Z3_mk_fpa_sort(self.context, exponent, significand) })
    }

    pub(super) fn array_sort(&self, index: Sort, value: Sort) -> Result<Sort, Reason> {
        // SAFETY: the context is alive and both sorts are its own.
        self.sort(unsafe { Z3_mk_array_sort(self.context, index.0, value.0) })
    }

    pub(super) fn bool(&self, value: bool) -> Result<Ast, Reason> {
        if value { make!(self, Z3_mk_true) } else { make!(self, Z3_mk_false) }
    }

    /// A number from its decimal digits.
    pub(super) fn numeral(&self, digits: &str, sort: Sort) -> Result<Ast, Reason> {
        let digits = text(digits);
        make!(self, Z3_mk_numeral, digits.as_ptr(), sort.0)
    }

    /// A number that fits into 64 bits.
    pub(super) fn small(&self, value: i64, sort: Sort) -> Result<Ast, Reason> {
        make!(self, Z3_mk_int64, value, sort.0)
    }

    /// A constant (in SMT-LIB's sense: a free variable).
    pub(super) fn constant(&self, name: &str, sort: Sort) -> Result<Ast, Reason> {
        let name = text(name);
        // SAFETY: the context is alive, the name zero-terminated.
        let symbol = unsafe { Z3_mk_string_symbol(self.context, name.as_ptr()) }.ok_or_else(|| self.error())?;
        make!(self, Z3_mk_const, symbol, sort.0)
    }

    pub(super) fn extract(&self, high: u32, low: u32, a: Ast) -> Result<Ast, Reason> {
        make!(self, Z3_mk_extract, high, low, a.0)
    }

    pub(super) fn extend(&self, signed: bool, by: u32, a: Ast) -> Result<Ast, Reason> {
        if signed { make!(self, Z3_mk_sign_ext, by, a.0) } else { make!(self, Z3_mk_zero_ext, by, a.0) }
    }

    pub(super) fn int_to_bv(&self, width: u32, a: Ast) -> Result<Ast, Reason> {
        make!(self, Z3_mk_int2bv, width, a.0)
    }

    pub(super) fn bv_to_int(&self, signed: bool, a: Ast) -> Result<Ast, Reason> {
        make!(self, Z3_mk_bv2int, a.0, signed)
    }

    pub(super) fn bv_to_float(&self, signed: bool, a: Ast, sort: Sort) -> Result<Ast, Reason> {
        if signed {
            make!(self, Z3_mk_fpa_to_fp_signed, self.nearest.0, a.0, sort.0)
        } else {
            make!(self, Z3_mk_fpa_to_fp_unsigned, self.nearest.0, a.0, sort.0)
        }
    }

    /// The float with these bits.
    pub(super) fn float_of_bits(&self, bits: Ast, sort: Sort) -> Result<Ast, Reason> {
        make!(self, Z3_mk_fpa_to_fp_bv, bits.0, sort.0)
    }

    pub(super) fn nan(&self, sort: Sort) -> Result<Ast, Reason> {
        make!(self, Z3_mk_fpa_nan, sort.0)
    }

    pub(super) fn float_to_float(&self, a: Ast, sort: Sort) -> Result<Ast, Reason> {
        make!(self, Z3_mk_fpa_to_fp_float, self.nearest.0, a.0, sort.0)
    }

    /// The float rounded toward zero, which is unspecified outside the range.
    pub(super) fn float_to_signed(&self, a: Ast, width: u32) -> Result<Ast, Reason> {
        make!(self, Z3_mk_fpa_to_sbv, self.toward_zero.0, a.0, width)
    }

    /// The square root, rounded to nearest.
    pub(super) fn float_sqrt(&self, a: Ast) -> Result<Ast, Reason> {
        make!(self, Z3_mk_fpa_sqrt, self.nearest.0, a.0)
    }

    /// The nearest integral float, ties to even.
    pub(super) fn float_rint(&self, a: Ast) -> Result<Ast, Reason> {
        make!(self, Z3_mk_fpa_round_to_integral, self.nearest.0, a.0)
    }

    /// The greatest integral float that is not greater.
    pub(super) fn float_floor(&self, a: Ast) -> Result<Ast, Reason> {
        let down = make!(self, Z3_mk_fpa_round_toward_negative)?;
        make!(self, Z3_mk_fpa_round_to_integral, down.0, a.0)
    }

    /// The least integral float that is not less.
    pub(super) fn float_ceil(&self, a: Ast) -> Result<Ast, Reason> {
        let up = make!(self, Z3_mk_fpa_round_toward_positive)?;
        make!(self, Z3_mk_fpa_round_to_integral, up.0, a.0)
    }

    pub(super) fn const_array(&self, index: Sort, value: Ast) -> Result<Ast, Reason> {
        make!(self, Z3_mk_const_array, index.0, value.0)
    }

    /// `for all (or for some) bound: body`. `bound` is a constant.
    pub(super) fn quantified(&self, forall: bool, bound: Ast, body: Ast) -> Result<Ast, Reason> {
        // SAFETY: `bound` is an application of no arguments of this context.
        let bound = [unsafe { Z3_to_app(self.context, bound.0) }.ok_or_else(|| self.error())?];
        if forall {
            make!(self, Z3_mk_forall_const, 0, 1, bound.as_ptr(), 0, ptr::null(), body.0)
        } else {
            make!(self, Z3_mk_exists_const, 0, 1, bound.as_ptr(), 0, ptr::null(), body.0)
        }
    }

    /// The declaration of a constant.
    pub(super) fn declaration(&self, constant: Ast) -> Option<Decl> {
        // SAFETY: the constant belongs to this context. Its declaration lives as long as the constant.
        unsafe {
            Z3_is_app(self.context, constant.0)
                .then(|| Z3_to_app(self.context, constant.0))
                .flatten()
                .and_then(|app| Z3_get_app_decl(self.context, app))
                .map(Decl)
        }
    }

    pub(super) fn push(&self) {
        // SAFETY: context and solver are alive.
        unsafe { Z3_solver_push(self.context, self.solver) }
    }

    pub(super) fn pop(&self, levels: usize) {
        if self.is_lost() {
            return;
        }
        let levels = c_uint::try_from(levels).unwrap_or(c_uint::MAX);
        // SAFETY: context and solver are alive; Z3 checks the number of levels.
        unsafe { Z3_solver_pop(self.context, self.solver, levels) }
    }

    pub(super) fn assert(&self, formula: Ast) -> Result<(), Reason> {
        // SAFETY: context and solver are alive; the formula belongs to the context.
        unsafe { Z3_solver_assert(self.context, self.solver, formula.0) };
        self.checked()
    }

    /// Returns whether the assertions and assumptions are satisfiable, or `None` for unknown. The check gets enough
    /// stack for terms of this depth. If it continues long after `is_over` returns true, it is abandoned, and the
    /// session is lost.
    pub(super) fn check(
        &self,
        assumptions: &[Ast],
        depth: u32,
        is_over: impl Fn() -> bool,
    ) -> Result<Option<bool>, Reason> {
        struct Call {
            context: Z3_context,
            solver: Z3_solver,
            assumptions: Vec<Z3_ast>,
            number: c_uint,
        }
        // SAFETY: while the worker makes the call, this thread waits and does not touch the context. If this thread
        // stops waiting, the session is lost, and nothing of the context is touched or freed again.
        unsafe impl Send for Call {}
        impl Call {
            fn make(&self) -> Z3_lbool {
                // SAFETY: context and solver are alive; the assumptions belong to the context and outlive the call.
                unsafe {
                    Z3_solver_check_assumptions(self.context, self.solver, self.number, self.assumptions.as_ptr())
                }
            }
        }
        let assumptions: Vec<Z3_ast> = assumptions.iter().map(|a| a.0).collect();
        let number = length(&assumptions)?;
        let call = Call { context: self.context, solver: self.solver, assumptions, number };
        let mut worker = self.worker.borrow_mut();
        if worker.is_none() {
            *worker = Worker::start();
        }
        let answer = match &*worker {
            Some(worker) => worker.result(move || with_stack(depth, || call.make()), is_over),
            None => Some(with_stack(depth, || call.make())),
        };
        match answer {
            Some(Z3_L_TRUE) => Ok(Some(true)),
            Some(Z3_L_FALSE) => Ok(Some(false)),
            Some(_) => Ok(None),
            None => {
                self.is_lost.set(true);
                HAS_LOST.store(true, Ordering::SeqCst);
                Err(Reason::Interrupted)
            }
        }
    }

    /// Whether a check was abandoned, so that this session cannot be used any more.
    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.get()
    }

    /// A function that ends the running check. It must only be called during a check. The context is unusable
    /// afterwards.
    ///
    /// `Z3_solver_interrupt` would keep the context usable, but it notifies each check only once. A request that
    /// arrives while the check starts can be lost, and then later requests and the time limit are ignored as well.
    /// `Z3_interrupt` notifies the context itself on every call.
    pub(super) fn stopper(&self) -> impl Fn() + Send + 'static {
        struct Running(Z3_context);
        // SAFETY: `Z3_interrupt` may be called from any thread (it takes the context's own lock), and it is the only
        // call. `Interrupter::guard` makes it only while the check runs, so that the context is alive.
        unsafe impl Send for Running {}
        let running = Running(self.context);
        move || {
            let Running(context) = &running;
            // SAFETY: see above.
            unsafe { Z3_interrupt(*context) }
        }
    }

    /// Asserts the formulas of an SMT-LIB script.
    pub(super) fn assert_script(&self, script: &str) -> Result<(), Reason> {
        // SAFETY: context and solver are alive; the text is zero-terminated and outlives the call.
        unsafe { Z3_solver_from_string(self.context, self.solver, text(script).as_ptr()) };
        self.checked()
    }

    pub(super) fn reason_unknown(&self) -> String {
        // SAFETY: context and solver are alive; the text is copied before the next call.
        unsafe { string(Z3_solver_get_reason_unknown(self.context, self.solver)) }
    }

    /// The assumptions of the last check that contradict the assertions.
    pub(super) fn unsat_core(&self) -> Result<Vec<Ast>, Reason> {
        // SAFETY: context and solver are alive; the vector is retained while it is read. Its elements are
        // assumptions, which the caller holds.
        unsafe {
            let vector = Z3_solver_get_unsat_core(self.context, self.solver).ok_or_else(|| self.error())?;
            Z3_ast_vector_inc_ref(self.context, vector);
            let size = Z3_ast_vector_size(self.context, vector);
            let core = (0..size).filter_map(|i| Z3_ast_vector_get(self.context, vector, i).map(Ast)).collect();
            Z3_ast_vector_dec_ref(self.context, vector);
            Ok(core)
        }
    }

    /// The model of the last check.
    pub(super) fn model(&self) -> Option<Model> {
        // SAFETY: context and solver are alive. The model is retained until the context is freed or `release` is
        // called.
        unsafe {
            let model = Z3_solver_get_model(self.context, self.solver)?;
            Z3_model_inc_ref(self.context, model);
            Some(Model(model))
        }
    }

    /// Frees a model.
    pub(super) fn release(&self, model: Model) {
        // SAFETY: the model belongs to this context and was retained once; the handle is consumed.
        unsafe { Z3_model_dec_ref(self.context, model.0) }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.is_lost() {
            return;
        }
        // SAFETY: all objects are alive, were retained once, and are not used again. Terms are released before their
        // subterms, because Z3 takes time quadratic in the depth of terms if it must find that order itself.
        unsafe {
            Z3_solver_dec_ref(self.context, self.solver);
            for &ast in self.retained.get_mut().iter().rev() {
                Z3_dec_ref(self.context, ast);
            }
            Z3_del_context(self.context);
        }
    }
}

/// A model of Z3. Everything read from it lives as long as the model.
#[derive(Debug)]
pub(super) struct Model(Z3_model);

/// The outermost level of a value in a model.
pub(super) enum Shape {
    /// A truth value.
    Bool(bool),
    /// Digits of an integer or bit-vector.
    Numeral(String),
    /// A float.
    Float(FloatShape),
    /// An array, an index and the value at the index.
    Store(Ast, Ast, Ast),
    /// An array that has one value everywhere.
    ConstArray(Ast),
    /// An array given as a function: its points and the value elsewhere.
    Function(Vec<(Ast, Ast)>, Ast),
    /// Any other value.
    Other,
}

/// A float value.
pub(super) enum FloatShape {
    /// Not a number.
    Nan,
    /// Infinite; the flag says whether it is negative.
    Infinite(bool),
    /// Whether it is negative, the biased exponent, and the significand without the hidden bit.
    Finite(bool, i64, u64),
}

impl Session {
    /// The constants to which a model assigns values, with those values.
    pub(super) fn constants(&self, model: &Model) -> Vec<(Decl, Ast)> {
        // SAFETY: context and model are alive; the model keeps the results alive.
        unsafe {
            (0..Z3_model_get_num_consts(self.context, model.0))
                .filter_map(|i| {
                    let declaration = Z3_model_get_const_decl(self.context, model.0, i)?;
                    let value = Z3_model_get_const_interp(self.context, model.0, declaration)?;
                    Some((Decl(declaration), Ast(value)))
                })
                .collect()
        }
    }

    /// The outermost level of a value in a model.
    pub(super) fn shape(&self, model: &Model, value: Ast) -> Shape {
        let (context, value) = (self.context, value.0);
        // SAFETY: context and model are alive, and the model keeps the value alive. Each function is called on the
        // kind of ast that it expects, as the preceding conditions establish. Output parameters are locals.
        unsafe {
            match Z3_get_bool_value(context, value) {
                Z3_L_TRUE => return Shape::Bool(true),
                Z3_L_FALSE => return Shape::Bool(false),
                _ => {}
            }
            let Some(sort) = Z3_get_sort(context, value) else {
                return Shape::Other;
            };
            match Z3_get_sort_kind(context, sort) {
                SortKind::Int | SortKind::Bv if Z3_is_numeral_ast(context, value) => {
                    Shape::Numeral(string(Z3_get_numeral_string(context, value)))
                }
                SortKind::FloatingPoint => self.float_shape(value).map_or(Shape::Other, Shape::Float),
                SortKind::Array if Z3_is_as_array(context, value) => {
                    self.function_shape(model, value).unwrap_or(Shape::Other)
                }
                SortKind::Array if Z3_is_app(context, value) => self.array_shape(value).unwrap_or(Shape::Other),
                _ => Shape::Other,
            }
        }
    }

    /// # Safety
    /// `value` is a live ast of a float sort of this context.
    unsafe fn float_shape(&self, value: Z3_ast) -> Option<FloatShape> {
        let context = self.context;
        // SAFETY: the caller guarantees the precondition. The first test excludes terms that are not numerals from
        // the other calls.
        unsafe {
            let decl = Z3_to_app(context, value).and_then(|app| Z3_get_app_decl(context, app))?;
            let kind = Z3_get_decl_kind(context, decl);
            let numeral = matches!(
                kind,
                DeclKind::FpaNum
                    | DeclKind::FpaNan
                    | DeclKind::FpaPlusInf
                    | DeclKind::FpaMinusInf
                    | DeclKind::FpaPlusZero
                    | DeclKind::FpaMinusZero
            );
            if !numeral {
                return None;
            }
            if Z3_fpa_is_numeral_nan(context, value) {
                return Some(FloatShape::Nan);
            }
            let negative = Z3_fpa_is_numeral_negative(context, value);
            if Z3_fpa_is_numeral_inf(context, value) {
                return Some(FloatShape::Infinite(negative));
            }
            if Z3_fpa_is_numeral_zero(context, value) {
                return Some(FloatShape::Finite(negative, 0, 0));
            }
            let (mut exponent, mut significand) = (0i64, 0u64);
            let read = Z3_fpa_get_numeral_exponent_int64(context, value, &mut exponent, true)
                && Z3_fpa_get_numeral_significand_uint64(context, value, &mut significand);
            // Some versions return the exponent of the least normal number for a subnormal number.
            let subnormal = Z3_fpa_is_numeral_subnormal(context, value);
            read.then_some(FloatShape::Finite(negative, if subnormal { 0 } else { exponent }, significand))
        }
    }

    /// # Safety
    /// `value` is a live application of an array sort of this context.
    unsafe fn array_shape(&self, value: Z3_ast) -> Option<Shape> {
        let context = self.context;
        // SAFETY: the caller guarantees the precondition; the numbers of arguments are those of the operators.
        unsafe {
            let app = Z3_to_app(context, value)?;
            let argument = |i| Z3_get_app_arg(context, app, i).map(Ast);
            Some(match Z3_get_decl_kind(context, Z3_get_app_decl(context, app)?) {
                DeclKind::Store if Z3_get_app_num_args(context, app) == 3 => {
                    Shape::Store(argument(0)?, argument(1)?, argument(2)?)
                }
                DeclKind::ConstArray => Shape::ConstArray(argument(0)?),
                _ => Shape::Other,
            })
        }
    }

    /// # Safety
    /// `value` is a live `as-array` term of this context.
    unsafe fn function_shape(&self, model: &Model, value: Z3_ast) -> Option<Shape> {
        let context = self.context;
        // SAFETY: the caller guarantees the precondition; the interpretation and its entries are retained while they
        // are read, and their arguments and values belong to the model.
        unsafe {
            let function = Z3_get_as_array_func_decl(context, value)?;
            let interpretation = Z3_model_get_func_interp(context, model.0, function)?;
            Z3_func_interp_inc_ref(context, interpretation);
            let entries = (0..Z3_func_interp_get_num_entries(context, interpretation)).map(|i| {
                let entry = Z3_func_interp_get_entry(context, interpretation, i)?;
                Z3_func_entry_inc_ref(context, entry);
                let index = Z3_func_entry_get_arg(context, entry, 0);
                let value = Z3_func_entry_get_value(context, entry);
                Z3_func_entry_dec_ref(context, entry);
                Some((Ast(index?), Ast(value?)))
            });
            let entries: Option<Vec<(Ast, Ast)>> = entries.collect();
            let default = Z3_func_interp_get_else(context, interpretation);
            Z3_func_interp_dec_ref(context, interpretation);
            Some(Shape::Function(entries?, Ast(default?)))
        }
    }
}

/// # Safety
/// `text` is null or zero-terminated.
unsafe fn string(text: Z3_string) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller guarantees the precondition.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
