//! Tells what the classes and methods stand for that the C# compiler makes for iterators, async methods and lambda
//! expressions. It gives them names with angle brackets: `<Walk>d__2` for the state of `Walk`, `<Walk>b__2_0` for a
//! lambda expression in it, `<Walk>g__Next|2_1` for its local function `Next`, `<>c` and `<>c__DisplayClass2_0` for what
//! lambda expressions capture.

use crate::assemblies::TypeDefId;
use crate::loader::Cs;
use crate::members::MethodKey;
use crate::types::TyId;
use aback_cil::{Argument, Table, Token, TypeSig};
use aback_ir::MadeFor;

/// The namespaces of library classes that are concerned with things for which async code waits.
const TASKS: &str = "System.Threading.Tasks.";
const YIELD: &str = "System.Runtime.CompilerServices.YieldAwaitable";
/// Methods of such classes that give something complete, or something that is complete when their arguments are.
const COMPLETE: &[&str] = &[
    "FromResult",
    "FromException",
    "FromCanceled",
    "get_CompletedTask",
    "WhenAll",
    "WhenAny",
    "AsTask",
    "Preserve",
    "ConfigureAwait",
    "Unwrap",
];
/// What async methods are for their callers: complete when their code has run to its end.
const BUILDERS: &str = "System.Runtime.CompilerServices.Async";

/// What a type of the program stands for, if the compiler made it.
pub(crate) fn made_for(cs: Cs, ty: TyId) -> Option<MadeFor> {
    cs.loader.types.made_for(ty, || find_made_for(cs, ty))
}

fn find_made_for(cs: Cs, ty: TyId) -> Option<MadeFor> {
    let (declared, _) = cs.declared(ty)?;
    if !cs.loader.assemblies.module(declared.assembly).is_own {
        return None;
    }
    let name = cs.assembly(declared.assembly).type_def(declared.row).ok()?.name;
    if name.starts_with("<>c__DisplayClass") || name == "<>c" || name.starts_with("<>c`") {
        return Some(MadeFor::Functions);
    }
    if !is_state(name) {
        return None;
    }
    let implements =
        |namespace, name| cs.interfaces(ty).iter().any(|&above| cs.is_library_type(above, namespace, name));
    let is_async = implements("System.Runtime.CompilerServices", "IAsyncStateMachine");
    let is_async_iterator = implements("System.Collections.Generic", "IAsyncEnumerator`1");
    match (is_async, is_async_iterator) {
        (true, true) => Some(MadeFor::AsyncIterator),
        (true, false) => Some(MadeFor::Async),
        (false, _) => implements("System.Collections", "IEnumerator").then_some(MadeFor::Iterator),
    }
}

/// Whether a name is that of the state of an iterator or an async method.
fn is_state(name: &str) -> bool {
    name.starts_with('<') && name.rfind('>').is_some_and(|end| name[end + 1..].starts_with('d'))
}

/// Whether an attribute of a method says that a type has its state.
pub(crate) fn starts(cs: Cs, method: &MethodKey, state: TyId) -> bool {
    let (Some((owner, _)), Some((state, _))) = (cs.declared(method.owner), cs.declared(state)) else { return false };
    if owner.assembly != state.assembly {
        return false;
    }
    let read = cs.assembly(owner.assembly);
    if read.enclosing(state.row) != Some(owner.row) {
        return false;
    }
    let Ok(name) = read.type_def(state.row).map(|def| def.name) else { return false };
    read.custom_attributes(Token::new(Table::MethodDef, method.row)).iter().any(|attribute| {
        let class = read.attribute_class(attribute).and_then(|class| read.full_name(class));
        class.is_some_and(|class| class.ends_with("StateMachineAttribute"))
            && read.attribute_arguments(attribute, &|_| None).is_ok_and(|arguments| {
                let named = |argument: &Argument| matches!(argument, Argument::Type(Some(full)) if is_last(full, name));
                arguments.fixed.iter().any(named)
            })
    })
}

/// Whether a full name, such as `Shop+<Walk>d__2`, is that of a nested type. Backslashes come before commas and the like.
fn is_last(full: &str, nested: &str) -> bool {
    full.replace('\\', "").strip_suffix(nested).is_some_and(|outer| outer.ends_with('+'))
}

/// Whether a method may give something that is not complete when it returns, so that async code waits for it.
pub(crate) fn may_be_incomplete(cs: Cs, method: &MethodKey) -> bool {
    let Some((declared, _)) = cs.declared(method.owner) else { return true };
    let read = cs.assembly(declared.assembly);
    let (Ok(def), Ok(signature)) = (read.method(method.row), cs.signature(method)) else { return true };
    if cs.loader.assemblies.module(declared.assembly).is_own {
        // A type that can be awaited itself gets the code that goes on later.
        return is_completion(cs, method.owner) && def.name.ends_with("OnCompleted");
    }
    let class = full_name(cs, declared);
    let concerns = |ty: TyId| {
        let name = cs.declared(ty).map(|(declared, _)| full_name(cs, declared)).unwrap_or_default();
        name.starts_with(TASKS) || name == YIELD
    };
    let is_made = def.is_constructor() && class.starts_with(TASKS);
    let is_of_value = is_made && class.starts_with("System.Threading.Tasks.ValueTask");
    let has_source = || signature.params.iter().any(|&param| cs.name(param).contains("IValueTaskSource"));
    let gives = match is_made {
        true => !is_of_value || has_source(),
        // A result whose type is a type parameter comes from something that got it.
        false => {
            concerns(signature.result)
                && !matches!(def.signature.result, TypeSig::TypeParam(_) | TypeSig::MethodParam(_))
        }
    };
    gives && !class.starts_with(BUILDERS) && !COMPLETE.contains(&def.name)
}

/// Whether a type, or one above it, gets the code that goes on when something is complete.
fn is_completion(cs: Cs, ty: TyId) -> bool {
    let namespace = "System.Runtime.CompilerServices";
    cs.interfaces(ty).iter().any(|&above| {
        ["INotifyCompletion", "ICriticalNotifyCompletion"].iter().any(|name| cs.is_library_type(above, namespace, name))
    })
}

fn full_name(cs: Cs, declared: TypeDefId) -> String {
    cs.assembly(declared.assembly).full_name(Token::new(Table::TypeDef, declared.row)).unwrap_or_default()
}

/// A method as its source names it, from the names of its class and itself. Type arguments of the state of an iterator
/// are not part of its name.
pub(crate) fn source_name(class: &str, method: &str) -> String {
    let class = match class.rfind(">d") {
        Some(at) => class[at + 1..].find('<').map_or(class, |arguments| &class[..at + 1 + arguments]),
        None => class,
    };
    let outer = |class: &str| match class.find(".<") {
        Some(at) => class[..at].to_string(),
        None => class.to_string(),
    };
    let state = class.rsplit_once(".<").filter(|(_, state)| is_state(&format!("<{state}")));
    if let Some((class, state)) = state
        && let Some((name, _)) = state.rsplit_once(">d")
    {
        return source_name(class, name);
    }
    let Some(rest) = method.strip_prefix('<') else { return format!("{}.{method}", outer(class)) };
    if let Some((_, local)) = rest.split_once(">g__") {
        let name = local.split('|').next().unwrap_or(local);
        return format!("{}.{name}", outer(class));
    }
    match rest.split_once(">b__") {
        Some((name, _)) => format!("a lambda expression in {}.{name}", outer(class)),
        None => format!("{}.{method}", outer(class)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_names() {
        let check = |class, method, name| assert_eq!(source_name(class, method), name, "{class} {method}");
        check("Shop", "Walk", "Shop.Walk");
        check("Shop.<Walk>d__2", "MoveNext", "Shop.Walk");
        check("Shop.Cart.<Walk>d__2", "System.IDisposable.Dispose", "Shop.Cart.Walk");
        check("Shop.<Walk>d__2<string>", "MoveNext", "Shop.Walk");
        check("Shop<int>.<Walk>d__2<int, List<int>>", "MoveNext", "Shop<int>.Walk");
        check("Shop.<>c", "<Walk>b__2_0", "a lambda expression in Shop.Walk");
        check("Shop.<>c__DisplayClass2_0", "<Walk>b__0", "a lambda expression in Shop.Walk");
        check("Shop", "<Walk>g__Next|2_1", "Shop.Next");
        check("Shop.<<Walk>g__Next|2_1>d", "MoveNext", "Shop.Next");
        check("Shop.<>c.<<Walk>b__2_0>d", "MoveNext", "a lambda expression in Shop.Walk");
    }
}
