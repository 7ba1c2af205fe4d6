//! Decides whether exception filters and finally blocks of called methods can influence each other.
//!
//! .NET looks for a handler first, running filters, and runs the finally blocks between the throw and the handler after
//! that. The translated code runs the finally blocks of called methods first. Nobody notices if no called method has
//! finally blocks, or if the filter changes nothing and reads nothing that these blocks change.

use crate::assemblies::{AssemblyId, TypeDefId};
use crate::loader::Cs;
use crate::members::{MethodKey, MethodRef, Signature};
use crate::types::{Kind, Ty, TyId};
use aback_cil::{Clause, ClauseKind, Instruction, MethodBody, Opcode, Operand, Table};
use rustc_hash::{FxHashMap, FxHashSet};

/// A method of the program proper: its assembly, and its row there.
type Row = (AssemblyId, u32);

/// Where the code starts that filters of a method protect, if a filter and the finally blocks of methods that this code
/// calls may influence each other.
pub(crate) fn influenced(cs: Cs, assembly: AssemblyId, code: &MethodBody) -> FxHashSet<u32> {
    let filters = || code.clauses.iter().filter(|clause| matches!(clause.kind, ClauseKind::Filter(_)));
    if filters().next().is_none() {
        return FxHashSet::default();
    }
    let analysis = Analysis::new(cs);
    let influenced = filters().filter(|filter| may_be_influenced(&analysis, assembly, code, filter));
    influenced.map(|filter| filter.try_start).collect()
}

fn may_be_influenced(analysis: &Analysis, assembly: AssemblyId, code: &MethodBody, filter: &Clause) -> bool {
    let ClauseKind::Filter(start) = filter.kind else { return false };
    let protected = within(code, filter.try_start, filter.try_end);
    let callees = analysis.callees(assembly, protected);
    let is_anything = callees.is_none();
    let callees = callees.unwrap_or_else(|| analysis.own.clone());
    let Some(writes) = analysis.finally_writes(&callees, is_anything) else { return true };
    let Some(writes) = writes else { return false };
    let Some(reads) = analysis.filter_reads(assembly, code, start..filter.handler_start) else { return true };
    reads.conflicts_with(&writes)
}

fn within(code: &MethodBody, from: u32, to: u32) -> impl Iterator<Item = &Instruction> {
    code.instructions.iter().filter(move |instruction| from <= instruction.offset && instruction.offset < to)
}

/// Memory that code reads or writes. Fields are named without their class.
#[derive(Default)]
struct Memory {
    fields: FxHashSet<String>,
    elements: bool,
    /// What pointers point to, which may be any field, element or variable.
    pointed: bool,
}

impl Memory {
    fn is_empty(&self) -> bool {
        self.fields.is_empty() && !self.elements && !self.pointed
    }

    fn conflicts_with(&self, other: &Memory) -> bool {
        self.pointed && !other.is_empty()
            || other.pointed && !self.is_empty()
            || self.elements && other.elements
            || !self.fields.is_disjoint(&other.fields)
    }
}

/// The target of a call.
enum Callee {
    /// One of these methods of the program.
    Own(Vec<Row>),
    /// A method of a library that calls no method of the program.
    Library(MethodKey),
    /// A method of arrays.
    OfArray(String),
}

struct Analysis<'a> {
    cs: Cs<'a>,
    /// The methods of the program.
    own: Vec<Row>,
    /// Their indexes, by their names and the ends of these behind each dot, as in explicit implementations.
    named: FxHashMap<&'a str, Vec<usize>>,
}

impl<'a> Analysis<'a> {
    fn new(cs: Cs<'a>) -> Self {
        let assemblies = cs.loader.assemblies.own().into_iter();
        let rows = assemblies.flat_map(|id| (1..=cs.assembly(id).rows(Table::MethodDef)).map(move |row| (id, row)));
        let own: Vec<Row> = rows.collect();
        let mut named: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (index, &(assembly, row)) in own.iter().enumerate() {
            let name = cs.assembly(assembly).method_name(row).unwrap_or_default();
            let ends = name.match_indices('.').map(|(dot, _)| &name[dot + 1..]);
            for name in ends.chain([name]) {
                named.entry(name).or_default().push(index);
            }
        }
        Analysis { cs, own, named }
    }

    fn name(&self, (assembly, row): Row) -> &str {
        self.cs.assembly(assembly).method_name(row).unwrap_or_default()
    }

    fn body(&self, (assembly, row): Row) -> Option<MethodBody> {
        self.cs.assembly(assembly).body(row).ok()?
    }

    /// The methods of the program with a name, also as explicit implementations.
    fn named(&self, name: &str) -> Vec<Row> {
        self.named.get(name).into_iter().flatten().map(|&index| self.own[index]).collect()
    }

    /// The methods in a list and those that they lead to. `visit` adds the callees of a method to the list.
    fn closure(
        &self,
        mut pending: Vec<Row>,
        mut visit: impl FnMut(Row, &MethodBody, &mut Vec<Row>) -> Option<()>,
    ) -> Option<Vec<Row>> {
        let mut seen: FxHashSet<Row> = FxHashSet::default();
        let mut found = Vec::new();
        while let Some(method) = pending.pop() {
            if seen.insert(method) {
                found.push(method);
                if let Some(body) = self.body(method) {
                    visit(method, &body, &mut pending)?;
                }
            }
        }
        Some(found)
    }

    /// What a call runs. `None` if it may run any method of the program.
    fn callee(&self, assembly: AssemblyId, instruction: &Instruction) -> Option<Callee> {
        let Operand::Token(token) = instruction.operand else { return None };
        let cs = self.cs;
        let key = match cs.method_token(assembly, token, &cs.loader.open_generics).ok()? {
            MethodRef::Declared(key) => key,
            MethodRef::OfArray(_, name, _) => return Some(Callee::OfArray(name)),
        };
        let (declared, _) = cs.declared(key.owner)?;
        let is_own = cs.loader.assemblies.module(declared.assembly).is_own;
        let read = cs.assembly(declared.assembly);
        let is_virtual = instruction.opcode == Opcode::Callvirt && read.method(key.row).ok()?.is_virtual();
        if is_own && cs.kind(key.owner) == Kind::Delegate && instruction.opcode != Opcode::Newobj {
            return None;
        }
        if is_virtual {
            let overriders = self.named(read.method_name(key.row).ok()?);
            if is_own || !overriders.is_empty() {
                return Some(Callee::Own(overriders));
            }
        }
        match is_own {
            true => Some(Callee::Own(vec![(declared.assembly, key.row)])),
            false => self.calls_nothing(&key).then_some(Callee::Library(key)),
        }
    }

    /// Whether a method of a library calls no methods of the program: it gets nothing that leads to them.
    fn calls_nothing(&self, key: &MethodKey) -> bool {
        let cs = self.cs;
        let Ok(Signature { has_this, params, .. }) = cs.signature(key) else { return false };
        if cs.is_library_type(key.owner, "System.Threading", "Monitor") {
            return true;
        }
        let is_exception = self.is_exception(key.owner);
        params.iter().all(|&ty| self.is_plain(ty) || is_exception && self.is_exception(ty))
            && (!has_this || self.is_plain(key.owner) || is_exception || self.is_harmless(key))
    }

    /// Whether values of a type lead to no object of the program.
    fn is_plain(&self, ty: TyId) -> bool {
        match self.cs.ty(ty) {
            Ty::Bool | Ty::Char | Ty::Int { .. } | Ty::Native { .. } | Ty::F32 | Ty::F64 => true,
            Ty::Named(..) => {
                matches!(self.cs.kind(ty), Kind::Enum(_)) || self.cs.is_library_type(ty, "System", "String")
            }
            _ => false,
        }
    }

    fn is_exception(&self, ty: TyId) -> bool {
        let supertypes = std::iter::successors(Some(ty), |&ty| self.cs.base(ty));
        supertypes.take(64).any(|ty| self.cs.is_library_type(ty, "System", "Exception"))
    }

    fn is_harmless(&self, key: &MethodKey) -> bool {
        let is = |namespace, name| self.cs.is_library_type(key.owner, namespace, name);
        is("System", "Object")
            || is("System", "IDisposable")
            || is("System.Text", "StringBuilder")
            || is("System.Runtime.CompilerServices", "DefaultInterpolatedStringHandler")
            || is("System.Collections.Generic", "List`1") && key_arguments(self.cs, key).all(|ty| self.is_plain(ty))
    }

    /// The methods of the program that code may call, and those that they call. `None` if they may be any.
    fn callees<'i>(&self, assembly: AssemblyId, code: impl Iterator<Item = &'i Instruction>) -> Option<Vec<Row>> {
        // Classes may be initialized at any time.
        let mut pending = self.named(".cctor");
        self.add_callees(assembly, code, &mut pending)?;
        self.closure(pending, |method, body, calls| self.add_callees(method.0, body.instructions.iter(), calls))
    }

    fn add_callees<'i>(
        &self,
        assembly: AssemblyId,
        code: impl Iterator<Item = &'i Instruction>,
        into: &mut Vec<Row>,
    ) -> Option<()> {
        for instruction in code {
            match instruction.opcode {
                Opcode::Call | Opcode::Callvirt | Opcode::Newobj => {
                    if let Callee::Own(methods) = self.callee(assembly, instruction)? {
                        into.extend(methods);
                    }
                }
                Opcode::Calli | Opcode::Jmp => return None,
                _ => {}
            }
        }
        Some(())
    }

    /// What the finally blocks of methods may change: `Some(None)` if there are no such blocks, `None` if it is unknown.
    /// Finally blocks of libraries call `Dispose` if libraries may call any method.
    fn finally_writes(&self, methods: &[Row], is_anything: bool) -> Option<Option<Memory>> {
        let mut writes = Memory::default();
        let mut any = false;
        let mut pending = Vec::new();
        for &method in methods {
            let Some(body) = self.body(method) else { continue };
            let disposes = is_anything && self.name(method).contains("Dispose");
            if disposes {
                any = true;
                pending.push(method);
            }
            for clause in &body.clauses {
                if matches!(clause.kind, ClauseKind::Finally | ClauseKind::Fault) {
                    any = true;
                    let block = within(&body, clause.handler_start, clause.handler_end);
                    self.add_writes(method.0, block, &mut writes, &mut pending)?;
                }
            }
        }
        self.closure(pending, |method, body, calls| {
            self.add_writes(method.0, body.instructions.iter(), &mut writes, calls)
        })?;
        Some(any.then_some(writes))
    }

    fn add_writes<'i>(
        &self,
        assembly: AssemblyId,
        code: impl Iterator<Item = &'i Instruction>,
        writes: &mut Memory,
        calls: &mut Vec<Row>,
    ) -> Option<()> {
        use Opcode::*;
        for instruction in code {
            match instruction.opcode {
                Stfld | Stsfld | Ldflda | Ldsflda => {
                    writes.fields.insert(field_name(self.cs.assembly(assembly), instruction)?);
                }
                StelemI | StelemI1 | StelemI2 | StelemI4 | StelemI8 | StelemR4 | StelemR8 | StelemRef | Stelem
                | Ldelema => writes.elements = true,
                StindRef | StindI1 | StindI2 | StindI4 | StindI8 | StindR4 | StindR8 | StindI | Stobj | Initobj
                | Cpobj | Cpblk | Initblk => writes.pointed = true,
                Call | Callvirt | Newobj => match self.callee(assembly, instruction)? {
                    Callee::Own(methods) => calls.extend(methods),
                    Callee::OfArray(_) => writes.elements = true,
                    Callee::Library(_) => {}
                },
                // A finally block that throws replaces the exception that the filter has already seen.
                Calli | Jmp | Throw => return None,
                _ => {}
            }
        }
        Some(())
    }

    /// What a filter reads. `None` if it may also change something, or may not be understood.
    fn filter_reads(&self, assembly: AssemblyId, code: &MethodBody, filter: std::ops::Range<u32>) -> Option<Memory> {
        let mut reads = Memory::default();
        let mut pending = Vec::new();
        let shared = |variable: &Operand, loads: Opcode| {
            code.instructions.iter().any(|other| other.opcode == loads && other.operand == *variable)
        };
        for instruction in within(code, filter.start, filter.end) {
            reads.pointed |= match instruction.opcode {
                Opcode::Ldloc => shared(&instruction.operand, Opcode::Ldloca),
                Opcode::Ldarg => shared(&instruction.operand, Opcode::Ldarga),
                Opcode::Stloc if shared(&instruction.operand, Opcode::Ldloca) => return None,
                _ => false,
            };
        }
        self.add_reads(assembly, within(code, filter.start, filter.end), &mut reads, &mut pending)?;
        self.closure(pending, |method, body, calls| {
            if !body.clauses.is_empty() {
                return None;
            }
            self.add_reads(method.0, body.instructions.iter(), &mut reads, calls)
        })?;
        Some(reads)
    }

    fn add_reads<'i>(
        &self,
        assembly: AssemblyId,
        code: impl Iterator<Item = &'i Instruction>,
        reads: &mut Memory,
        calls: &mut Vec<Row>,
    ) -> Option<()> {
        use Opcode::*;
        for instruction in code {
            match instruction.opcode {
                Ldfld | Ldsfld => {
                    if instruction.opcode == Ldsfld && !self.is_of_simple_class(assembly, instruction) {
                        return None;
                    }
                    reads.fields.insert(field_name(self.cs.assembly(assembly), instruction)?);
                }
                LdelemI1 | LdelemU1 | LdelemI2 | LdelemU2 | LdelemI4 | LdelemU4 | LdelemI8 | LdelemI | LdelemR4
                | LdelemR8 | LdelemRef | Ldelem => reads.elements = true,
                LdindI1 | LdindU1 | LdindI2 | LdindU2 | LdindI4 | LdindU4 | LdindI8 | LdindI | LdindR4 | LdindR8
                | LdindRef | Ldobj => reads.pointed = true,
                Call | Callvirt => match self.callee(assembly, instruction)? {
                    Callee::Own(methods) if methods.iter().all(|&method| self.is_in_simple_class(method)) => {
                        calls.extend(methods);
                    }
                    Callee::OfArray(name) if name == "Get" => reads.elements = true,
                    Callee::Library(key) if self.only_reads_values(&key) => {}
                    _ => return None,
                },
                Nop | Ldarg | Ldloc | Stloc | Ldnull | LdcI4 | LdcI8 | LdcR4 | LdcR8 | Ldstr | Dup | Pop | Ret | Br
                | Brfalse | Brtrue | Beq | Bge | Bgt | Ble | Blt | BneUn | BgeUn | BgtUn | BleUn | BltUn | Switch
                | Add | Sub | Mul | Div | DivUn | Rem | RemUn | And | Or | Xor | Shl | Shr | ShrUn | Neg | Not
                | ConvI1 | ConvI2 | ConvI4 | ConvI8 | ConvU1 | ConvU2 | ConvU4 | ConvU8 | ConvR4 | ConvR8 | Ceq
                | Cgt | CgtUn | Clt | CltUn | Isinst | Castclass | UnboxAny | Ldlen | Endfilter => {}
                _ => return None,
            }
        }
        Some(())
    }

    /// Whether the initialization of the class of a static field, as far as there is one, goes unnoticed.
    fn is_of_simple_class(&self, assembly: AssemblyId, instruction: &Instruction) -> bool {
        let Operand::Token(token) = instruction.operand else { return false };
        let field = self.cs.field_token(assembly, token, &self.cs.loader.open_generics);
        let declared = field.ok().and_then(|(owner, _)| self.cs.declared(owner));
        declared.is_some_and(|(declared, _)| self.initializes_simply(declared))
    }

    /// Whether a class has no static constructor, or one that only sets its own static fields to constants.
    fn initializes_simply(&self, declared: TypeDefId) -> bool {
        use Opcode::*;
        let read = self.cs.assembly(declared.assembly);
        let Ok(ty) = read.type_def(declared.row) else { return false };
        ty.methods.clone().filter(|&method| read.method_name(method).is_ok_and(|name| name == ".cctor")).all(|method| {
            let Some(body) = self.body((declared.assembly, method)) else { return false };
            let mut code = body.instructions.iter();
            code.all(|instruction| match instruction.opcode {
                Stsfld => matches!(instruction.operand, Operand::Token(token) if token.table() == Some(Table::Field)),
                opcode => matches!(opcode, Nop | LdcI4 | LdcI8 | LdcR4 | LdcR8 | Ldstr | Ldnull | Newarr | Ret),
            })
        })
    }

    fn is_in_simple_class(&self, (assembly, method): Row) -> bool {
        let owner = self.cs.assembly(assembly).method_owner(method);
        owner.is_some_and(|row| self.initializes_simply(TypeDefId { assembly, row }))
    }

    /// Whether a method of a library reads nothing but its arguments, which do not change.
    fn only_reads_values(&self, key: &MethodKey) -> bool {
        let read = self.cs.declared(key.owner).map(|(declared, _)| self.cs.assembly(declared.assembly));
        let Some(name) = read.and_then(|read| read.method_name(key.row).ok()) else { return false };
        let is_getter = || name == "get_Message" || name == "get_InnerException" || name == "get_ParamName";
        self.is_plain(key.owner) || self.is_exception(key.owner) && is_getter()
    }
}

/// The type arguments of the class of a method.
fn key_arguments<'a>(cs: Cs<'a>, key: &MethodKey) -> impl Iterator<Item = TyId> + use<'a> {
    let arguments = cs.declared(key.owner).map(|(_, arguments)| arguments.to_vec());
    arguments.unwrap_or_default().into_iter()
}

/// The name of the field that an instruction names.
fn field_name(read: &aback_cil::Assembly, instruction: &Instruction) -> Option<String> {
    let Operand::Token(token) = instruction.operand else { return None };
    match token.table()? {
        Table::Field => read.field_name(token.row()).ok().map(str::to_string),
        Table::MemberRef => read.member_ref(token.row()).ok().map(|member| member.name.to_string()),
        _ => None,
    }
}
