//! Simplifies the hash tables of the library: what nobody can observe is chosen so that few cases are left.

use super::Translator;
use crate::members::MethodKey;
use crate::types::{Kind, Ty, TyId};
use aback_ir::{BinaryOp, Expr, ExprId, Type};

const COLLECTIONS: &str = "System.Collections.Generic";
/// The tables that ask the default comparer for hash codes themselves.
const TABLES: [(&str, &str); 2] = [(COLLECTIONS, "Dictionary`2"), (COLLECTIONS, "HashSet`1")];
/// The tables whose elements have an order that does not depend on buckets.
const ORDERED_TABLES: [(&str, &str); 3] = [TABLES[0], TABLES[1], ("System.Linq", "Lookup`2")];
/// Greatest number of buckets that are merged into one. It is below the number of collisions at which the library
/// replaces the comparer of strings.
const MOST_MERGED_BUCKETS: i64 = 97;

impl Translator<'_> {
    /// Whether a call is for the hash code by which a hash table finds a key. What the table does depends on hash codes
    /// only in that equal keys have equal ones, and those of the library's structs do. So all of them may be zero.
    /// All of a table's calls have to be found, because hash codes must agree: those of the key, and those of the default
    /// comparer by its class. A comparer that the program gives is called through the interface.
    pub(super) fn is_hash_of_no_matter(&self, key: &MethodKey, of: TyId) -> bool {
        self.is_in_table(&TABLES)
            && super::intrinsics::full_name(self.cs, key).is_some_and(|(_, name)| name == "GetHashCode")
            && self.has_plain_equality(of, 0)
    }

    /// Whether a call computes the number of a bucket as a remainder: of a hash code by the number of buckets. The third
    /// argument makes that fast.
    pub(super) fn is_number_of_bucket(&self, key: &MethodKey) -> bool {
        let is_remainder = || {
            super::intrinsics::full_name(self.cs, key)
                .is_some_and(|(class, name)| class == "System.Collections.HashHelpers" && name == "FastMod")
        };
        self.is_in_table(&ORDERED_TABLES) && is_remainder()
    }

    /// The divisor by which code computes a remainder. In hash tables, these are numbers of buckets. Few buckets are merged
    /// into one, because hash codes that differ from run to run would select them. This is sound: the elements have an
    /// order of their own, an element is compared only with those of the same hash code, and the order in which these are
    /// in a bucket does not depend on others: new ones come first, and a larger table is filled in the order of elements.
    pub(super) fn merge_buckets(&mut self, divisor: ExprId, ty: Type) -> ExprId {
        if !self.is_in_table(&ORDERED_TABLES) {
            return divisor;
        }
        let (most, one) = (self.constant(MOST_MERGED_BUCKETS, ty), self.constant(1, ty));
        let is_small = self.expr(Expr::Binary(BinaryOp::Le, ty, divisor, most));
        self.expr(Expr::Select(is_small, one, divisor))
    }

    fn is_in_table(&self, tables: &[(&str, &str)]) -> bool {
        tables.iter().any(|&(namespace, name)| self.cs.is_library_type(self.key.owner, namespace, name))
    }

    /// Whether values of a struct of the program are equal if their fields are, because it says nothing else.
    fn is_compared_by_parts(&self, ty: TyId, depth: u32) -> bool {
        let Some((declared, _)) = self.cs.declared(ty) else { return false };
        let read = self.cs.assembly(declared.assembly);
        let Ok(def) = read.type_def(declared.row) else { return false };
        let says =
            |row: u32| read.method_name(row).map_or(true, |name| name.ends_with("Equals") || name == "GetHashCode");
        self.cs.loader.assemblies.module(declared.assembly).is_own
            && !def.methods.clone().any(says)
            && self.cs.inline_array(ty).is_none()
            && self
                .cs
                .instance_fields(ty)
                .is_ok_and(|fields| fields.iter().all(|field| self.has_plain_equality(field.ty, depth + 1)))
    }

    /// Whether two values of a type are equal exactly if the library says so, which gives equal values equal hash codes.
    fn has_plain_equality(&self, ty: TyId, depth: u32) -> bool {
        let plain = ["DateTime", "TimeSpan", "DateOnly", "TimeOnly", "Guid", "Decimal"];
        match self.cs.ty(ty) {
            Ty::Bool | Ty::Char | Ty::Int { .. } | Ty::Native { .. } | Ty::F32 | Ty::F64 => true,
            Ty::Named(_, arguments) if matches!(self.cs.kind(ty), Kind::Struct) => {
                let is_tuple = (1..=8).any(|n| self.cs.is_library_type(ty, "System", &format!("ValueTuple`{n}")));
                is_tuple && depth < 8 && arguments.iter().all(|&part| self.has_plain_equality(part, depth + 1))
                    || plain.iter().any(|name| self.cs.is_library_type(ty, "System", name))
                    || depth < 8 && self.is_compared_by_parts(ty, depth)
            }
            Ty::Named(..) => {
                matches!(self.cs.kind(ty), Kind::Enum(_)) || self.cs.is_library_type(ty, "System", "String")
            }
            _ => false,
        }
    }
}
