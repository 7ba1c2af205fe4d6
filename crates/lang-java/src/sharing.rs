//! Lists library objects that never change and library methods that do not change their arguments, so that shared
//! objects can be analysed without the library's code. Any method that is not listed may change anything.

use aback_ir::{ClassId, Made, MethodId, MethodKind, Passing, Program, Type};

/// Classes whose objects are observably immutable according to their documentation.
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

/// The name of the class whose maps may be in access order, so that reading changes them, as in class files: a tag,
/// the length, the text. The library does not create such maps for programs.
pub(crate) const LINKED_MAP: &[u8] = b"\x01\x00\x17java/util/LinkedHashMap";

/// Methods that change neither their receiver nor, if they are static, their arguments, unless the receiver is a map
/// in access order.
const READING: &[&str] = &[
    // Methods of all objects.
    "getClass",
    "equals",
    "hashCode",
    "toString",
    "clone",
    "compareTo",
    "compare",
    // Methods of enums.
    "name",
    "ordinal",
    "getDeclaringClass",
    "valueOf",
    "values",
    // Methods of collections, maps, iterators, character sequences and streams that do not consume the object.
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
    // Methods of Arrays, Collections, List, Set, Map and Objects, in addition to those above.
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

/// Methods that read their receiver, by the names above, but change other objects.
const CHANGING: &[&str] = &["toArray", "drainTo", "getChars", "copyInto", "transferTo", "read", "readFully"];

/// Packages of the methods above.
const READING_PACKAGES: &[&str] =
    &["java.lang", "java.util", "java.util.concurrent", "java.util.concurrent.atomic", "java.math", "java.time"];
/// Methods of iterators that change only the iterator.
const ADVANCING: &[&str] = &["next", "previous", "nextElement", "hasMoreElements"];
/// Packages of classes that are used once or call functions: their methods do not change the objects from which they
/// were created. The functions are analysed at their own code.
const CALLING_PACKAGES: &[&str] = &["java.util.stream", "java.util.function"];
/// Classes whose methods behave likewise.
const CALLING: &[&str] =
    &["java.util.Optional", "java.util.OptionalInt", "java.util.OptionalLong", "java.util.OptionalDouble"];
/// Methods whose result is a new object or a copy with the same contents.
const COPYING: &[&str] = &["clone", "toArray", "copyOf", "copyOfRange", "$newArray"];
/// Classes whose objects own their contents: their constructors copy their arguments or keep them as elements.
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
/// Classes whose objects can change but refer to no other objects.
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

/// The effect of a method on its arguments, apart from changes.
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
        // A value with the static type `Object` may be anything.
        FLAT.contains(&program.class_name(class)) && (is_constructor || program.class_name(class) != "java.lang.Object")
    };
    let holds = is_constructor && HOLDING.contains(&class) || COPYING.contains(&name) || calls;
    let made = match made_class {
        Some(class) if is_flat(class) => Made::Flat,
        _ if holds => Made::Holds,
        _ => Made::Views,
    };
    let keeps = is_constructor && made != Made::Flat || !is_constructor && !is_reading(program, method);
    Passing { made, keeps, publishes: false, changes_through: !calls && !ADVANCING.contains(&name) }
}

/// Whether a method only reads, by its name and its class.
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

/// Whether a method may call methods of its arguments. There are two exceptions. The constructor that a failing class
/// initialization calls keeps the exception without examining it. Immutable values equal only values of their own
/// class, which they test first.
pub(crate) fn may_call_back(program: &Program, method: MethodId) -> bool {
    let declared = program.method(method);
    let class = program.class_name(declared.class);
    let keeps = declared.kind == MethodKind::Constructor && class == "java.lang.ExceptionInInitializerError";
    let compares = declared.name == "equals" && is_immutable(class);
    !keeps && !compares
}

/// Methods of maps that read one entry, which changes the access order.
const ACCESSING: &[&str] = &["get", "getOrDefault"];

/// Whether a method may change its argument with this index, from 0, or an object to which the argument refers.
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
        // A constructor or a collection keeps its arguments: only another call can change them.
        _ => {
            CHANGING.contains(&name)
                || matches!(declared.params.get(argument), Some(Type::Array(_)) if !is_reading && declared.kind == MethodKind::Instance)
        }
    }
}
