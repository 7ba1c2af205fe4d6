//! The names of types, as sources write them and as the runtime shows them.

use super::{Declarations, Shape};
use crate::assemblies::TypeDefId;
use crate::loader::Cs;
use crate::types::{Ty, TyId};
use aback_cil::{Table, Token, Visibility};

impl Declarations<'_> {
    /// The name of a type in sources of other assemblies; `None` if it has none.
    pub fn source_name(&self, ty: TyId) -> Option<String> {
        self.name_in_sources(ty, false)
    }

    /// The same, where sources may use types that are not public.
    pub(crate) fn hidden_source_name(&self, ty: TyId) -> Option<String> {
        self.name_in_sources(ty, true)
    }

    fn name_in_sources(&self, ty: TyId, is_hidden: bool) -> Option<String> {
        let cs = self.cs;
        let commas = |rank: u32| format!("[{}]", ",".repeat(rank.saturating_sub(1) as usize));
        match *cs.ty(ty) {
            Ty::Array(_) | Ty::Grid(..) => {
                // The dimensions of the outermost array come first.
                let (mut element, mut suffix) = (ty, String::new());
                loop {
                    match *cs.ty(element) {
                        Ty::Array(inner) => (element, suffix) = (inner, suffix + "[]"),
                        Ty::Grid(inner, rank) => (element, suffix) = (inner, suffix + &commas(rank)),
                        _ => return Some(self.name_in_sources(element, is_hidden)? + &suffix),
                    }
                }
            }
            Ty::Ref(target) => self.name_in_sources(target, is_hidden),
            Ty::Named(declared, ref arguments) => {
                let keywords =
                    [("object", self.is_object(ty)), ("string", self.is_string(ty)), ("decimal", self.is_decimal(ty))];
                if let Some((keyword, _)) = keywords.iter().find(|(_, is_meant)| *is_meant) {
                    return Some((*keyword).into());
                }
                if let Shape::Nullable(inner) = self.shape(ty) {
                    return Some(self.name_in_sources(inner, is_hidden)? + "?");
                }
                self.declared_source_name(declared, arguments, is_hidden)
            }
            Ty::Void | Ty::Pointer(_) | Ty::Opaque | Ty::TypeParam(_) | Ty::MethodParam(_) => None,
            _ => Some(cs.name(ty)),
        }
    }

    fn declared_source_name(&self, declared: TypeDefId, arguments: &[TyId], is_hidden: bool) -> Option<String> {
        let mut parts = Vec::new();
        for part in self.cs.chain(declared) {
            let is_public = is_hidden || part.visibility.is_public();
            let own = arguments.get(part.inherited..part.inherited + part.own)?;
            let own = own.iter().map(|&ty| self.name_in_sources(ty, is_hidden)).collect::<Option<Vec<_>>>()?;
            if !is_public || !is_identifier(&part.name) {
                return None;
            }
            if !part.namespace.is_empty() {
                if !part.namespace.split('.').all(is_identifier) {
                    return None;
                }
                parts.push(part.namespace.split('.').map(escaped).collect::<Vec<_>>().join("."));
            }
            let name = escaped(&part.name);
            parts.push(if own.is_empty() { name } else { format!("{name}<{}>", own.join(", ")) });
        }
        Some(parts.join("."))
    }

    /// Whether a parameter of this type is one by reference.
    pub(crate) fn is_pointer(&self, ty: TyId) -> bool {
        matches!(self.cs.ty(ty), Ty::Ref(_))
    }

    /// Whether sources can write a name.
    pub(crate) fn is_name(&self, name: &str) -> bool {
        is_identifier(name)
    }

    /// The name of a type for `Type.GetType`, with its assembly; `None` if no type of values has it.
    pub fn qualified_name(&self, ty: TyId) -> Option<String> {
        self.cs.qualified_name(ty)
    }

    /// The name of a type as the runtime shows it: `N.Outer+Inner[System.Int32]`.
    pub fn shown_name(&self, ty: TyId) -> Option<String> {
        self.cs.shown_name(ty)
    }
}

impl Cs<'_> {
    /// The name of a type for `Type.GetType`, with its assembly; `None` if no type of values has it.
    pub(crate) fn qualified_name(self, ty: TyId) -> Option<String> {
        let (name, assembly) = self.runtime_name(ty, true)?;
        Some(format!("{name}, {assembly}"))
    }

    /// The name of a type as the runtime shows it: `N.Outer+Inner[System.Int32]`.
    pub(crate) fn shown_name(self, ty: TyId) -> Option<String> {
        self.runtime_name(ty, false).map(|(name, _)| name)
    }

    /// The name of a type, and that of its assembly; with the assemblies of type arguments if `is_qualified`.
    fn runtime_name(self, ty: TyId, is_qualified: bool) -> Option<(String, String)> {
        let with = |inner: TyId, suffix: &str| {
            let (name, assembly) = self.runtime_name(inner, is_qualified)?;
            Some((name + suffix, assembly))
        };
        match *self.ty(ty) {
            Ty::Array(element) => return with(element, "[]"),
            Ty::Grid(element, rank) => {
                return with(element, &format!("[{}]", ",".repeat(rank.saturating_sub(1) as usize)));
            }
            Ty::Ref(target) => return with(target, "&"),
            Ty::Pointer(_) | Ty::Opaque | Ty::TypeParam(_) | Ty::MethodParam(_) => return None,
            _ => {}
        }
        let (declared, arguments) = self.declared(ty)?;
        let chain = self.chain(declared);
        let namespace = chain.first().map(|part| part.namespace.clone()).unwrap_or_default();
        let escape = |name: &str| -> String {
            let special = |c: char| "\\+,[]&*".contains(c);
            name.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
        };
        let names: Vec<String> = chain.iter().map(|part| escape(&part.full)).collect();
        let mut name = names.join("+");
        if !namespace.is_empty() {
            name = format!("{namespace}.{name}");
        }
        if !arguments.is_empty() {
            let shown = arguments.iter().map(|&argument| match is_qualified {
                true => self.qualified_name(argument).map(|name| format!("[{name}]")),
                false => self.shown_name(argument),
            });
            name += &format!("[{}]", shown.collect::<Option<Vec<_>>>()?.join(","));
        }
        Some((name, self.assembly(declared.assembly).name().to_string()))
    }

    /// A type with those that enclose it, the outermost one first.
    fn chain(self, declared: TypeDefId) -> Vec<Part> {
        let read = self.assembly(declared.assembly);
        let mut chain = Vec::new();
        let mut row = Some(declared.row);
        // Nesting is cyclic only in malformed assemblies.
        while let Some(current) = row.filter(|_| chain.len() < 64) {
            let Ok(def) = read.type_def(current) else { break };
            let parameters = read.generic_params(Token::new(Table::TypeDef, current)).len();
            row = read.enclosing(current);
            let inherited = row.map_or(0, |outer| read.generic_params(Token::new(Table::TypeDef, outer)).len());
            chain.push(Part {
                namespace: def.namespace.to_string(),
                name: def.name.split_once('`').map_or(def.name, |(name, _)| name).to_string(),
                full: def.name.to_string(),
                inherited,
                own: parameters.saturating_sub(inherited),
                visibility: def.visibility(),
            });
        }
        chain.reverse();
        chain
    }
}

/// A type among those that enclose each other.
struct Part {
    namespace: String,
    /// The name without the number of type parameters, and with it.
    name: String,
    full: String,
    /// The number of type parameters of the types around it, and of its own.
    inherited: usize,
    own: usize,
    visibility: Visibility,
}

/// Whether sources can write a name, if need be with `@`.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_') && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// The reserved words of C#.
const KEYWORDS: [&str; 77] = [
    "abstract",
    "as",
    "base",
    "bool",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "checked",
    "class",
    "const",
    "continue",
    "decimal",
    "default",
    "delegate",
    "do",
    "double",
    "else",
    "enum",
    "event",
    "explicit",
    "extern",
    "false",
    "finally",
    "fixed",
    "float",
    "for",
    "foreach",
    "goto",
    "if",
    "implicit",
    "in",
    "int",
    "interface",
    "internal",
    "is",
    "lock",
    "long",
    "namespace",
    "new",
    "null",
    "object",
    "operator",
    "out",
    "override",
    "params",
    "private",
    "protected",
    "public",
    "readonly",
    "ref",
    "return",
    "sbyte",
    "sealed",
    "short",
    "sizeof",
    "stackalloc",
    "static",
    "string",
    "struct",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "uint",
    "ulong",
    "unchecked",
    "unsafe",
    "ushort",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
];

/// An identifier as sources write it: reserved words get an `@`.
pub fn escaped(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("@{name}") } else { name.to_string() }
}
