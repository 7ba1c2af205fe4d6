//! Which objects of the library never change, and which of its methods do not change their arguments: what can be told
//! of shared objects without a look at the library's code. What is not listed may change anything.

use aback_ir::{ClassId, Made, MethodId, MethodKind, Passing, Program, Type};

/// Classes whose objects never change (as far as programs can tell), by their documentation.
const IMMUTABLE: &[&str] = &[
    "java.lang.String",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Short",
    "java.lang.Character",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Float",
    "java.lang.Double",
    "java.lang.Class",
    "java.lang.Void",
    "java.util.UUID",
    "java.util.Locale",
    "java.util.regex.Pattern",
    "java.nio.charset.Charset",
    "java.time.Duration",
    "java.time.Instant",
    "java.time.LocalDate",
    "java.time.LocalDateTime",
    "java.time.LocalTime",
];

/// The name of the class whose maps may be in order of accesses, so that reading changes them, as class files have it: a tag, the
/// length, the text. The library makes no such map for others.
pub(crate) const LINKED_MAP: &[u8] = b"\x01\x00\x17java/util/LinkedHashMap";

/// Methods that change neither their receiver nor, where they are static, their arguments, unless the receiver is a map in order of
/// accesses.
const READING: &[&str] = &[
    // Of all objects.
    "getClass",
    "equals",
    "hashCode",
    "toString",
    "clone",
    "compareTo",
    "compare",
    // Of enums.
    "name",
    "ordinal",
    "getDeclaringClass",
    "valueOf",
    "values",
    // Of collections, maps, iterators, character sequences and streams that are not consumed.
    "size",
    "length",
    "isEmpty",
    "contains",
    "containsAll",
    "containsKey",
    "containsValue",
    "get",
    "getOrDefault",
    "indexOf",
    "lastIndexOf",
    "charAt",
    "subSequence",
    "substring",
    "iterator",
    "listIterator",
    "entrySet",
    "keySet",
    "getKey",
    "getValue",
    "hasNext",
    "hasPrevious",
    "toArray",
    "stream",
    "forEach",
    "first",
    "last",
    "firstKey",
    "lastKey",
    "floor",
    "ceiling",
    "higher",
    "lower",
    "floorKey",
    "ceilingKey",
    "higherKey",
    "lowerKey",
    "getFirst",
    "getLast",
    "peek",
    "peekFirst",
    "peekLast",
    "element",
    "subList",
    "headMap",
    "tailMap",
    "subMap",
    "headSet",
    "tailSet",
    "subSet",
    "intValue",
    "longValue",
    "doubleValue",
    "getMessage",
    "getCause",
    // Of Arrays, Collections, List, Set, Map and Objects, beside those above.
    "asList",
    "copyOf",
    "copyOfRange",
    "of",
    "ofEntries",
    "entry",
    "binarySearch",
    "deepEquals",
    "deepHashCode",
    "deepToString",
    "hash",
    "frequency",
    "disjoint",
    "max",
    "min",
    "nCopies",
    "unmodifiableList",
    "unmodifiableSet",
    "unmodifiableMap",
    "unmodifiableCollection",
    "unmodifiableSortedSet",
    "unmodifiableSortedMap",
    "singletonList",
    "singleton",
    "singletonMap",
    "emptyList",
    "emptySet",
    "emptyMap",
    "requireNonNull",
    "requireNonNullElse",
    "nonNull",
    "isNull",
    "checkIndex",
    "identityHashCode",
    "format",
    "join",
];

/// Methods that read what they are called for; by those above, that change other objects than their receiver.
const CHANGING: &[&str] = &["toArray", "drainTo", "getChars", "copyInto", "transferTo", "read", "readFully"];

/// Packages of which the methods above are.
const READING_PACKAGES: &[&str] =
    &["java.lang", "java.util", "java.util.concurrent", "java.util.concurrent.atomic", "java.math", "java.time"];
/// Methods of iterators: what they change is the iterator alone.
const ADVANCING: &[&str] = &["next", "previous", "nextElement", "hasMoreElements"];
/// Packages of what is used once, or what calls functions: their methods change nothing that it was made of. What the functions
/// do is looked at where they are.
const CALLING_PACKAGES: &[&str] = &["java.util.stream", "java.util.function"];
/// Classes whose methods do the same.
const CALLING: &[&str] =
    &["java.util.Optional", "java.util.OptionalInt", "java.util.OptionalLong", "java.util.OptionalDouble"];
/// Methods whose result is a copy, which holds the same, or is new.
const COPYING: &[&str] = &["clone", "toArray", "copyOf", "copyOfRange", "$newArray"];
/// Classes whose objects have what they hold for themselves: their constructors copy what they are given, or keep it as an element.
const HOLDING: &[&str] = &[
    "java.util.ArrayList",
    "java.util.LinkedList",
    "java.util.ArrayDeque",
    "java.util.PriorityQueue",
    "java.util.Vector",
    "java.util.Stack",
    "java.util.HashSet",
    "java.util.LinkedHashSet",
    "java.util.TreeSet",
    "java.util.HashMap",
    "java.util.LinkedHashMap",
    "java.util.TreeMap",
    "java.util.Hashtable",
    "java.util.IdentityHashMap",
    "java.util.WeakHashMap",
    "java.util.EnumMap",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.concurrent.atomic.AtomicReference",
];
/// Classes whose objects can change and lead to no others.
const FLAT: &[&str] = &[
    "java.lang.StringBuilder",
    "java.lang.StringBuffer",
    "java.lang.Object",
    "java.util.BitSet",
    "java.util.Random",
    "java.util.StringJoiner",
    "java.util.StringTokenizer",
    "java.math.BigInteger",
    "java.math.BigDecimal",
    "java.util.concurrent.atomic.AtomicBoolean",
    "java.util.concurrent.atomic.AtomicInteger",
    "java.util.concurrent.atomic.AtomicLong",
    "java.io.ByteArrayOutputStream",
    "java.io.StringWriter",
];

/// What a method does with what it is given, beside changing it.
pub(crate) fn passing(program: &Program, method: MethodId) -> Passing {
    let declared = program.method(method);
    let class = program.class_name(declared.class);
    let name = declared.name.as_str();
    let is_constructor = declared.kind == MethodKind::Constructor;
    let calls = CALLING_PACKAGES.contains(&package(class)) || CALLING.contains(&class);
    let made_class = match declared.result {
        _ if is_constructor => Some(declared.class),
        Some(Type::Class(class)) => Some(class),
        _ => None,
    };
    let is_flat = |class: ClassId| {
        // What only names the root may be anything.
        FLAT.contains(&program.class_name(class)) && (is_constructor || program.class_name(class) != "java.lang.Object")
    };
    let holds = is_constructor && HOLDING.contains(&class) || COPYING.contains(&name) || calls;
    let made = match made_class {
        Some(class) if is_flat(class) => Made::Flat,
        _ if holds => Made::Holds,
        _ => Made::Views,
    };
    let keeps = is_constructor && made != Made::Flat || !is_constructor && !is_reading(program, method);
    Passing { made, keeps, changes_through: !calls && !ADVANCING.contains(&name) }
}

/// Whether a method is one of those that only read, by its name and where it is.
fn is_reading(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    let class = program.class_name(declared.class);
    READING.contains(&declared.name.as_str())
        && READING_PACKAGES.contains(&package(class))
        && class != "java.util.Formatter"
}

fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

/// Whether objects of the class of this name never change.
pub(crate) fn is_immutable(class: &str) -> bool {
    IMMUTABLE.contains(&class)
}

/// Whether a method may call methods of the objects that it is given. The constructor that every initialization of a class calls where
/// that fails keeps what was thrown, and does not look at it; values that never change are equal to their like only, whose class
/// they look at first.
pub(crate) fn may_call_back(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    let class = program.class_name(declared.class);
    let keeps = declared.kind == MethodKind::Constructor && class == "java.lang.ExceptionInInitializerError";
    let compares = declared.name == "equals" && is_immutable(class);
    !keeps && !compares
}

/// Methods of maps that read one entry: those that change the order of accesses.
const ACCESSING: &[&str] = &["get", "getOrDefault"];

/// Whether a method may change its argument of this number, from 0, or what that refers to.
pub(crate) fn may_change(
    program: &Program,
    method: MethodId,
    argument: usize,
    names_linked_maps: impl FnOnce() -> bool,
) -> bool {
    let declared = program.method(method);
    let name = declared.name.as_str();
    let is_reading = is_reading(program, method);
    match (declared.kind, argument) {
        (MethodKind::Static, _) => {
            let is_copied_from = name == "arraycopy" && argument == 0;
            !is_reading && !is_copied_from
        }
        (MethodKind::Instance, 0) => {
            let class = program.class_name(declared.class);
            let is_function = package(class) == "java.util.function" || CALLING.contains(&class);
            let may_be_linked = class.ends_with("Map") && ACCESSING.contains(&name);
            !is_reading && !is_function && class != "java.io.PrintStream" && class != "java.lang.Object"
                || may_be_linked && names_linked_maps()
        }
        // What a constructor or a collection gets, it keeps: who changes it does so by another call.
        _ => {
            CHANGING.contains(&name)
                || matches!(declared.params.get(argument), Some(Type::Array(_)) if !is_reading && declared.kind == MethodKind::Instance)
        }
    }
}
