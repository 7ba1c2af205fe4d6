//! Reads .NET assemblies (ECMA-335, partitions II and III) and portable PDBs.
//!
//! [`Assembly`] and [`Pdb`] own the bytes of a file. Opening one only finds its parts: rows, signatures and bodies are
//! decoded when they are asked for, so that the core library, which has 15 MB, opens in 10 microseconds once it is in memory.
//! No input makes the crate panic. Where a single row is asked for, a mistake in it is an error; accessors that give lists
//! leave out entries that cannot be read, and those that give an `Option` answer `None`.
//!
//! The general library for this, dotscope, was tried: it reads an assembly eagerly, brings 100 dependencies, and fails on
//! the core library of .NET 10.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use aback_cil::Assembly;
//!
//! let assembly = Assembly::parse(std::fs::read("Shapes.dll")?)?;
//! if let Some(circle) = assembly.find_type("Shapes", "Circle") {
//!     for method in assembly.type_def(circle)?.methods {
//!         println!("{} {:?}", assembly.method(method)?.name, assembly.body(method)?);
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod assembly;
mod attributes;
mod body;
mod bytes;
mod heaps;
mod image;
mod lookup;
mod malformed;
mod opcode;
mod pdb;
mod resources;
mod rows;
mod signatures;
mod tables;

pub use assembly::Assembly;
pub use attributes::{Argument, AttributeArguments, CustomAttribute, EnumType};
pub use body::{Clause, ClauseKind, Instruction, MethodBody, Operand, Prefixes};
pub use malformed::Malformed;
pub use opcode::Opcode;
pub use pdb::{Document, LocalConstant, LocalScope, LocalVariable, Pdb, Position, SequencePoint};
pub use rows::{
    Access, AssemblyRef, Constant, Event, ExportedType, FieldDef, GenericParam, Guid, MemberRef, MethodDef, Param,
    Property, TypeDef, TypeRef, Visibility,
};
pub use signatures::{MemberSig, MethodSig, StandAloneSig, TypeSig};
pub use tables::{Table, Token};
