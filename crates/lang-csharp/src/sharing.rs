//! Lists library objects that never change and library methods that do not change their arguments, so that shared
//! objects can be analysed without the library's code. Any method that is not listed may change anything.

use aback_ir::{ClassId, Made, MethodId, MethodKind, Passing, Program, Type};

/// Classes whose objects are observably immutable according to their documentation, and that refer to no others.
const IMMUTABLE: &[&str] = &[
    "System.String",
    "System.Type",
    "System.Version",
    "System.Uri",
    "System.StringComparer",
    "System.Boolean",
    "System.Char",
    "System.SByte",
    "System.Byte",
    "System.Int16",
    "System.UInt16",
    "System.Int32",
    "System.UInt32",
    "System.Int64",
    "System.UInt64",
    "System.Single",
    "System.Double",
    "System.Decimal",
    "System.DateTime",
    "System.TimeSpan",
    "System.Guid",
];

/// Classes whose methods change neither their receiver nor their arguments, except variables that they get by reference
/// and arrays that they fill ([`FILLING`]).
const READING_CLASSES: &[&str] = &[
    "System.Object",
    "System.Math",
    "System.MathF",
    "System.Convert",
    "System.BitConverter",
    "System.Console",
    "System.Enum",
    "System.ValueType",
    "System.Nullable",
    "System.Delegate",
    "System.MulticastDelegate",
    "System.HashCode",
    "Models.System.Identity",
    "System.Diagnostics.Debug",
    "System.Diagnostics.Trace",
    "System.Threading.Monitor",
    "System.Threading.Lock",
    "System.Threading.Lock.Scope",
    "System.Linq.Enumerable",
    "System.Collections.Generic.EqualityComparer",
    "System.Collections.Generic.IEqualityComparer",
    "System.Collections.Generic.Comparer",
    "System.Collections.Generic.IComparer",
    "System.IEquatable",
    "System.IComparable",
    "System.Collections.ObjectModel.ReadOnlyCollection",
    "System.Collections.ObjectModel.ReadOnlyDictionary",
    "System.Tuple",
    "System.ValueTuple",
    "System.Collections.Generic.KeyValuePair",
    "System.ReadOnlySpan",
    "System.Runtime.CompilerServices.DefaultInterpolatedStringHandler",
];

/// Methods that change neither their receiver nor, if they are static, their arguments.
const READING: &[&str] = &[
    // Methods of all objects.
    "ToString",
    "Equals",
    "GetHashCode",
    "GetType",
    "CompareTo",
    "Clone",
    // Methods of arrays, collections, dictionaries and iterators.
    "get_Length",
    "get_LongLength",
    "get_Rank",
    "get_Count",
    "get_Item",
    "get_Keys",
    "get_Values",
    "get_Key",
    "get_Value",
    "get_Comparer",
    "get_Current",
    "get_First",
    "get_Last",
    "get_Next",
    "get_Previous",
    "get_Min",
    "get_Max",
    "get_IsReadOnly",
    "get_Capacity",
    "Contains",
    "ContainsKey",
    "ContainsValue",
    "TryGetValue",
    "GetValueOrDefault",
    "GetEnumerator",
    "GetLength",
    "GetUpperBound",
    "GetLowerBound",
    "IndexOf",
    "LastIndexOf",
    "Exists",
    "Find",
    "FindAll",
    "FindIndex",
    "FindLast",
    "FindLastIndex",
    "TrueForAll",
    "ForEach",
    "BinarySearch",
    "ConvertAll",
    "GetRange",
    "AsReadOnly",
    "AsEnumerable",
    "ToArray",
    "CopyTo",
    "Peek",
    "TryPeek",
    "IsSubsetOf",
    "IsSupersetOf",
    "IsProperSubsetOf",
    "IsProperSupersetOf",
    "Overlaps",
    "SetEquals",
    // Methods of exceptions.
    "get_Message",
    "get_InnerException",
    "get_ParamName",
    // Synthetic methods.
    "$target",
    "$type",
    "$alike",
    "$parts",
    "$known",
    "$clone",
];
/// Namespaces of the classes with these methods, besides `System` itself. Nested classes count.
const READING_NAMESPACES: &[&str] = &["System.Text.", "System.Collections."];

/// Methods that fill an array or a span that they get, although they read their receiver.
const FILLING: &[&str] =
    &["CopyTo", "TryCopyTo", "TryFormat", "TryWriteBytes", "ToBase64CharArray", "GetBytes", "GetChars"];
/// Methods of iterators that change only the iterator.
const ADVANCING: &[&str] = &["MoveNext", "Reset", "Dispose"];
/// Methods whose result is a new object with the same contents.
const COPYING: &[&str] =
    &["Clone", "ToArray", "ToList", "ToDictionary", "ToHashSet", "GetRange", "FindAll", "ConvertAll", "$clone"];
/// Classes whose objects own their contents. Their constructors copy the elements that they get, and their methods keep
/// their arguments as elements without changing them.
const HOLDING: &[&str] = &[
    "System.Collections.Generic.List",
    "System.Collections.Generic.Dictionary",
    "System.Collections.Generic.HashSet",
    "System.Collections.Generic.Queue",
    "System.Collections.Generic.Stack",
    "System.Collections.Generic.LinkedList",
    "System.Collections.Generic.SortedDictionary",
    "System.Collections.Generic.SortedList",
    "System.Collections.Generic.SortedSet",
    "System.Collections.Generic.PriorityQueue",
    "System.Collections.Concurrent.ConcurrentDictionary",
    "System.Collections.ArrayList",
    "System.Collections.Hashtable",
];
/// Classes whose objects can change but refer to no other objects.
const FLAT: &[&str] = &[
    "System.Object",
    "System.Random",
    "System.Text.StringBuilder",
    "System.Collections.BitArray",
    "System.Diagnostics.Stopwatch",
    "System.Threading.Lock",
    "System.Runtime.CompilerServices.DefaultInterpolatedStringHandler",
];
/// Classes of functions. What they run is analysed where it is written.
const FUNCTIONS: &[&str] =
    &["System.Func", "System.Action", "System.Predicate", "System.Comparison", "System.Converter"];

/// Whether objects of a class never change. Classes of the program may derive from one that is listed.
pub(crate) fn is_immutable(program: &Program, class: ClassId) -> bool {
    IMMUTABLE.contains(&program.class_name(class))
        && program.subclasses(class).into_iter().all(|below| program.class(below).is_library)
}

/// Whether objects of a library class never refer to others.
pub(crate) fn refers_to_nothing(program: &Program, class: ClassId) -> bool {
    let name = generic_name(program.class_name(class));
    is_immutable(program, class) || FLAT.contains(&name) && name != "System.Object"
}

/// The effect of a method on its arguments, apart from changes.
pub(crate) fn passing(program: &Program, method: MethodId) -> Passing {
    let declared = program.method(method);
    let class = class_of(program, method);
    let name = generic_name(&declared.name);
    let is_constructor = declared.kind == MethodKind::Constructor;
    let is_flat = |class: &str| {
        // A value with the static type `object` may be anything.
        FLAT.contains(&class) && (is_constructor || class != "System.Object")
    };
    let made = match declared.result {
        _ if is_constructor && is_flat(class) => Made::Flat,
        None if is_flat(class) => Made::Flat,
        _ if is_constructor && HOLDING.contains(&class) => Made::Holds,
        Some(Type::Class(result)) if is_flat(generic_name(program.class_name(result))) => Made::Flat,
        _ if COPYING.contains(&name) && is_reading(program, method) => Made::Holds,
        _ => Made::Views,
    };
    let keeps = made != Made::Flat && (is_constructor || !is_reading(program, method));
    // What gives a view that can change its object counts as a change of it.
    let publishes = keeps && PUBLISHING.contains(&class);
    Passing { made, keeps, publishes, changes_through: !ADVANCING.contains(&name) && !FLAT.contains(&class) }
}

/// Classes with methods that keep objects where other code finds them. Exceptions have an `IDictionary` with data.
const PUBLISHING: &[&str] =
    &["System.AppDomain", "System.AppContext", "System.Threading.Thread", "System.Collections.IDictionary"];

/// Whether a method may change its argument with this index, from 0, or an object to which the argument refers. Changes
/// of the place to which a pointer points are those of the pointer's own code.
pub(crate) fn may_change(program: &Program, method: MethodId, argument: usize) -> bool {
    let declared = program.method(method);
    let (class, name) = (class_of(program, method), generic_name(&declared.name));
    let has_receiver = declared.kind != MethodKind::Static;
    let is_receiver = has_receiver && argument == 0;
    if !is_receiver && FILLING.contains(&name) {
        return true;
    }
    // The parts of a struct that is an iterator stay as they are.
    if !has_receiver && ADVANCING.contains(&name) || class == "System.Array" && name == "Copy" && argument == 0 {
        return false;
    }
    if is_receiver {
        let is_function = FUNCTIONS.contains(&class) && name == "Invoke";
        let is_new = declared.kind == MethodKind::Constructor;
        return !is_new && !is_function && !is_reading(program, method);
    }
    let keeps = has_receiver && HOLDING.contains(&class) || name == "<init>" && is_tuple(class);
    !is_reading(program, method) && !keeps
}

/// Whether a constructor only keeps its arguments, in an object or struct that cannot change them.
fn is_tuple(class: &str) -> bool {
    ["System.Tuple", "System.ValueTuple", "System.Collections.Generic.KeyValuePair"].contains(&class)
}

/// Whether a method only reads, by its name and its class.
fn is_reading(program: &Program, method: MethodId) -> bool {
    let class = class_of(program, method);
    let name = generic_name(&program.method(method).name);
    // Callers' formatters get the arguments.
    let is_of = |ty: &Type, name: &str| matches!(ty, Type::Class(class) if program.class_name(*class) == name);
    let params = &program.method(method).params;
    if params.iter().any(|ty| is_of(ty, "System.IFormatProvider"))
        && params.iter().any(|ty| is_object_or_more(program, *ty))
    {
        return false;
    }
    let is_changed_name = matches!(name, "set_Item" | "Add" | "Remove" | "Clear")
        || class == "System.Console" && ["Set", "set_", "add_"].iter().any(|start| name.starts_with(start));
    READING_CLASSES.contains(&class) && !is_changed_name
        || is_immutable(program, program.method(method).class)
        || READING.contains(&name) && has_reading_methods(class)
        || name == "<init>" && class.ends_with("Exception") && class.starts_with("System.")
}

/// Whether a parameter takes any object, or an array of objects.
fn is_object_or_more(program: &Program, ty: Type) -> bool {
    match ty {
        Type::Class(class) => program.class_name(class) == "System.Object",
        Type::Array(array) => is_object_or_more(program, program.element_type(array)),
        _ => false,
    }
}

/// The name of the class of a method, without type arguments.
fn class_of(program: &Program, method: MethodId) -> &str {
    generic_name(program.class_name(program.method(method).class))
}

/// A name without type arguments. That of a constructor has none.
fn generic_name(name: &str) -> &str {
    name.find('<').filter(|&at| at > 0).map_or(name, |at| &name[..at])
}

fn has_reading_methods(class: &str) -> bool {
    let is_of_system = class.strip_prefix("System.").is_some_and(|rest| !rest.contains('.'));
    is_of_system || READING_NAMESPACES.iter().any(|&namespace| class.starts_with(namespace))
}
