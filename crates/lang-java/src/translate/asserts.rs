//! Recognizes assert statements (Java Language Specification, 14.10) in the code that compilers generate:
//!
//! ```text
//! getstatic $assertionsDisabled; ifne END; CONDITION, which jumps to END if it is true;
//! new AssertionError; dup; DETAIL; invokespecial <init>; athrow; END:
//! ```
//!
//! Only the field distinguishes such a statement from handwritten code, so it must be the compiler's own
//! ([`has_flag`]). END may be anywhere, even before the statement, because compilers shorten jumps to jumps. The
//! instructions in between are found by following jumps; an expression only leaves them at END. The statement's error
//! is the last one that is thrown there; earlier ones belong to the condition or the detail.

use super::blocks::jumps;
use super::{Refusal, Result, Translator};
use crate::assertion_status;
use crate::classfile;
use crate::loader::Java;
use crate::types::{class_name, named_type};
use aback_ir::ClassId;
use cafebabe::bytecode::Opcode::{self, *};
use cafebabe::constant_pool::{Loadable, MemberRef};
use cafebabe::{ClassFile, FieldAccessFlags};
use rustc_hash::FxHashSet;

const FLAG: &str = "$assertionsDisabled";
pub(crate) const ERROR: &str = "java/lang/AssertionError";
/// The constructors of `AssertionError` that assert statements call.
const CONSTRUCTORS: [&str; 8] = ["()V", "(Ljava/lang/Object;)V", "(Z)V", "(C)V", "(I)V", "(J)V", "(F)V", "(D)V"];

fn is_flag_reference(reference: &MemberRef<'_>) -> bool {
    reference.name_and_type.name == FLAG && reference.name_and_type.descriptor == "Z"
}

/// Whether a class has the flag that compilers generate, and the flag is always false: the class initializer writes
/// it once, in the compilers' way, and assertions are enabled in the class that it queries.
pub(crate) fn has_flag(java: Java, tree: &ClassFile<'_>) -> bool {
    let made_by_compiler = FieldAccessFlags::STATIC | FieldAccessFlags::FINAL | FieldAccessFlags::SYNTHETIC;
    let is_declared = tree.fields.iter().any(|field| {
        field.name == FLAG
            && field.descriptor.to_string() == "Z"
            && field.access_flags.contains(made_by_compiler)
            && classfile::constant_value(field).is_none()
    });
    let is_write = |opcode: &Opcode<'_>| matches!(opcode, Putstatic(field) if is_flag_reference(field) && *field.class_name == *tree.this_class);
    let mut writes = 0;
    let mut is_initialized = false;
    for method in &tree.methods {
        let Some(bytecode) = classfile::code(method).and_then(|code| code.bytecode.as_ref()) else { continue };
        writes += bytecode.opcodes.iter().filter(|(_, opcode)| is_write(opcode)).count();
        if method.name == "<clinit>" {
            is_initialized = bytecode.opcodes.windows(7).enumerate().any(|(start, window)| {
                is_write(&window[6].1) && is_initialization(java, window) && {
                    let inside = window[1].0..=window[6].0;
                    let others = bytecode.opcodes.iter().enumerate();
                    let others = others.filter(|(index, _)| !(start..start + 7).contains(index));
                    !others.flat_map(|(_, (pc, opcode))| jumps(*pc, opcode)).any(|to| inside.contains(&to))
                }
            });
        }
    }
    is_declared && is_initialized && writes == 1
}

/// Whether seven instructions compute `!X.class.desiredAssertionStatus()` for a class in which assertions are
/// enabled.
fn is_initialization(java: Java, window: &[(usize, Opcode<'_>)]) -> bool {
    let at = |index: usize| window[index].0;
    let to = |index: usize, offset: i32| at(index).wrapping_add_signed(offset as isize);
    let [
        (_, Ldc(class) | LdcW(class)),
        (_, Invokevirtual(ask)),
        (_, Ifne(on)),
        (_, Iconst1),
        (_, Goto(off)),
        (_, Iconst0),
        _,
    ] = window
    else {
        return false;
    };
    asks_for_status(ask)
        && to(2, *on) == at(5)
        && to(4, *off) == at(6)
        && matches!(class, Loadable::ClassInfo(name) if status_of(java, name) == Some(true))
}

/// Whether a method queries a class object for the assertion status.
fn asks_for_status(method: &MemberRef<'_>) -> bool {
    method.class_name == "java/lang/Class" && method.name_and_type.name == "desiredAssertionStatus"
}

fn status_of(java: Java, name: &str) -> Option<bool> {
    assertion_status::desires_assertions(java, named_type(java.program, name)?)
}

impl<'a> Translator<'a> {
    /// Whether assertions are enabled in `class`, if the instruction at index `asking`, which follows the load of the
    /// class object, queries this.
    pub(super) fn known_status(&self, class: &str, asking: usize) -> Option<bool> {
        match self.opcodes.get(asking) {
            Some((pc, Invokevirtual(method))) if asks_for_status(method) && !self.block_at.contains_key(pc) => {
                status_of(self.java, class)
            }
            _ => None,
        }
    }

    /// The offset to continue at, if an instruction begins an assert statement. As with `java -ea`, assertions of the
    /// user's classes are checked, and those of the JDK are not. Assertions of the user's libraries are ordinary code
    /// that throws.
    pub(super) fn assertions_guard(&mut self, index: usize) -> Result<Option<usize>> {
        let (Getstatic(field), Some((pc, Ifne(to)))) = (&self.opcodes[index].1, self.opcodes.get(index + 1)) else {
            return Ok(None);
        };
        if !is_flag_reference(field) {
            return Ok(None);
        }
        let end = pc.wrapping_add_signed(*to as isize);
        if self.class.is_trusted {
            return Ok(Some(end));
        }
        let owner = self.java.named(&class_name(&field.class_name));
        if self.class.is_library || !self.has_flag(owner) {
            return Ok(None);
        }
        self.spend(self.opcodes.len());
        let Some(&(start, _)) = self.opcodes.get(index + 2) else { return super::malformed("a jump at the end") };
        let statement = self.statement(index + 2, end);
        let throws = |&at: &usize| matches!(&self.opcodes[at].1, New(name) if name == ERROR);
        if !statement.iter().any(throws) {
            // The condition is always true.
            return Ok(Some(start));
        }
        let Some(allocation) = self.error(index, &statement) else {
            return Err(Refusal("an assert statement in a form that no known compiler makes".into()));
        };
        self.asserts.insert(self.opcodes[allocation].0);
        Ok(Some(start))
    }

    fn has_flag(&self, owner: ClassId) -> bool {
        let Some(class) = self.java.class(owner) else { return false };
        let look = || class.file.as_ref().is_some_and(|file| file.with(|tree| has_flag(self.java, tree)));
        *class.has_assertion_flag.get_or_init(look)
    }

    /// The indices of the instructions that can be executed from `start` on without passing `end`.
    fn statement(&self, start: usize, end: usize) -> FxHashSet<usize> {
        let index_of = |pc: usize| self.opcodes.binary_search_by_key(&pc, |&(pc, _)| pc).ok();
        let (mut found, mut pending) = (FxHashSet::default(), vec![start]);
        while let Some(index) = pending.pop() {
            let Some((pc, opcode)) = self.opcodes.get(index).filter(|&&(pc, _)| pc != end) else { continue };
            if !found.insert(index) {
                continue;
            }
            pending.extend(jumps(*pc, opcode).into_iter().filter_map(index_of));
            if !is_end(opcode) {
                pending.push(index + 1);
            }
        }
        found
    }

    /// The index at which an assert statement allocates its error. `guard` is the index of its guard. `None` if no
    /// compiler generates such a statement.
    fn error(&self, guard: usize, statement: &FxHashSet<usize>) -> Option<usize> {
        let last = *statement.iter().max()?;
        let is_inside = |index: usize| (guard + 2..=last).contains(&index);
        let at = |index: usize| self.opcodes.get(index).map(|(_, opcode)| opcode);
        let is_foreign = |&index: &usize| {
            let opcode = at(index);
            !is_inside(index) || matches!(opcode, Some(Ireturn | Lreturn | Freturn | Dreturn | Areturn | Return))
        };
        if statement.iter().any(is_foreign) {
            return None;
        }
        let (Athrow, Invokespecial(constructor)) = (at(last)?, at(last.checked_sub(1)?)?) else { return None };
        if !is_constructor(constructor) || !CONSTRUCTORS.contains(&&*constructor.name_and_type.descriptor) {
            return None;
        }
        // Allocations and constructor calls nest like parentheses.
        let mut open = 0usize;
        let allocation = (guard + 2..last).rev().find(|&index| {
            match at(index) {
                Some(Invokespecial(method)) if is_constructor(method) => open += 1,
                Some(New(name)) if name == ERROR => open = open.saturating_sub(1),
                _ => return false,
            }
            open == 0
        })?;
        let first_pc = self.opcodes[guard + 1].0;
        let inside = first_pc..=self.opcodes[last].0;
        let others = self.opcodes.iter().enumerate().filter(|&(index, _)| !is_inside(index));
        let is_entered = others.flat_map(|(_, (pc, opcode))| jumps(*pc, opcode)).any(|to| inside.contains(&to));
        let is_entered = is_entered || self.block_at.contains_key(&first_pc);
        let is_one = statement.contains(&allocation) && matches!(at(allocation + 1)?, Dup) && !is_entered;
        is_one.then_some(allocation)
    }
}

fn is_constructor(method: &MemberRef<'_>) -> bool {
    method.class_name == ERROR && method.name_and_type.name == "<init>"
}

/// Whether an instruction never continues at the next one.
fn is_end(opcode: &Opcode<'_>) -> bool {
    matches!(
        opcode,
        Goto(_)
            | Tableswitch(_)
            | Lookupswitch(_)
            | Ireturn
            | Lreturn
            | Freturn
            | Dreturn
            | Areturn
            | Return
            | Athrow
            | Jsr(_)
            | Ret(_)
    )
}
