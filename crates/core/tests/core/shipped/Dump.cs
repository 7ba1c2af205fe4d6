using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;

/// Writes heaps to a file: a line for each object with its references to other objects of collections, in breadth-first order.
/// Tabs separate words.
public static class Dump
{
    const BindingFlags Declared =
        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    static readonly Random random = new Random(1);
    static readonly StringBuilder output = new StringBuilder();

    public static void Main()
    {
        for (int round = 0; round < 60; round++)
        {
            int size = random.Next(7);
            Good(Filled(new List<int>(), size));
            Good(Operated(new Queue<int>(), size));
            Good(Operated(new Stack<int>(), size));
            Good(Filled(new HashSet<int>(random.Next(2) == 0 ? null : new Parity()), size));
            Good(Operated(new Dictionary<int, int>(random.Next(2) == 0 ? null : new Parity()), size));
            Good(Operated(new SortedDictionary<int, int>(random.Next(2) == 0 ? null : new Reversed()), size));
            Linked(size);
        }
        // Collections without elements share an array.
        Good(new List<List<int>> { new List<int>(), new List<int>(), new List<int> { 1 } });
        Good(new Queue<Queue<int>>(new[] { new Queue<int>(), new Queue<int>() }));
        Good(new Stack<Stack<int>>(new[] { new Stack<int>(), new Stack<int>() }));
        Good(new LinkedList<LinkedList<int>>(new[] { Three(), new LinkedList<int>(), Three() }));
        // Copies share nothing, and views of one dictionary are the same.
        var map = new Dictionary<int, int> { [1] = 2 };
        Good(map, new Dictionary<int, int>(map), map.Keys, map.Values, map.Keys);
        Good(map.Keys, map);
        var set = new HashSet<int> { 1 };
        Good(set, new HashSet<int>(set));
        var sorted = new SortedDictionary<int, int> { [1] = 2 };
        Good(sorted, new SortedDictionary<int, int>(sorted), sorted.Keys, sorted.Values);
        Good(sorted.Values, sorted);

        Bad(new List<int>(), it => Set(it, "_items", null));
        Bad(new Queue<int>(), it => Set(it, "_array", null));
        Bad(new Stack<int>(), it => Set(it, "_array", null));
        var other = new Dictionary<int, int> { [3] = 4 };
        Bad(new Dictionary<int, int> { [1] = 2 }, it => Set(it, "_entries", Get(other, "_entries")), other);
        Bad(new Dictionary<int, int> { [1] = 2 }, it => Set(it, "_buckets", Get(other, "_buckets")), other);
        Bad(new Dictionary<int, int>(), it => Set(it, "_keys", other.Keys), other);
        Bad(new HashSet<int> { 1 }, it => Set(it, "_buckets", Get(set, "_buckets")), set);
        Bad(new HashSet<int> { 1 }, it => Set(it, "_entries", Get(set, "_entries")), set);
        Bad(new SortedDictionary<int, int>(), it => Set(it, "_set", null));
        Bad(new SortedDictionary<int, int>(), it => Set(it, "_set", Get(sorted, "_set")), sorted);
        Bad(new SortedDictionary<int, int>(), it => Set(Get(it, "_set"), "comparer", null));
        Bad(Sorted(), it => Set(Root(it), "Left", Get(Root(it), "Right")));
        Bad(Sorted(), it => Set(Get(Root(it), "Left"), "Left", Root(it)));
        Bad(Sorted(), it => Set(Get(Root(it), "Left"), "Right", Get(Root(it), "Right")));
        Bad(Sorted(), it => Set(Get(sorted, "_set"), "root", Root(it)), sorted);
        Bad(Three(), it => Set(Get(Get(it, "head"), "next"), "prev", null));
        Bad(Three(), it => Set(Get(Get(it, "head"), "next"), "next", null));
        Bad(Three(), it => Set(Get(Get(it, "head"), "next"), "list", null));
        Bad(Three(), it => Set(Get(Get(it, "head"), "next"), "list", new LinkedList<int>()));
        Bad(Three(), it => Set(Get(Get(it, "head"), "next"), "prev", Get(Get(it, "head"), "next")));
        var list = Three();
        Bad(Three(), it => Set(list, "head", Get(it, "head")), list);
        File.WriteAllText("heaps.txt", output.ToString());
    }

    sealed class Parity : IEqualityComparer<int>
    {
        public bool Equals(int one, int other) => one == other;
        public int GetHashCode(int value) => value % 2;
    }

    sealed class Reversed : IComparer<int>
    {
        public int Compare(int one, int other) => other.CompareTo(one);
    }

    static ICollection<int> Filled(ICollection<int> made, int size)
    {
        for (int step = 0; step < 3 * size; step++)
        {
            if (random.Next(3) == 0) made.Remove(random.Next(size));
            else made.Add(random.Next(size));
            if (random.Next(20) == 0) made.Clear();
        }
        return made;
    }

    static Queue<int> Operated(Queue<int> made, int size)
    {
        for (int step = 0; step < 3 * size; step++)
        {
            if (random.Next(3) == 0) made.TryDequeue(out _);
            else made.Enqueue(step);
            if (random.Next(20) == 0) made.TrimExcess();
        }
        return made;
    }

    static Stack<int> Operated(Stack<int> made, int size)
    {
        for (int step = 0; step < 3 * size; step++)
        {
            if (random.Next(3) == 0) made.TryPop(out _);
            else made.Push(step);
        }
        return made;
    }

    static IDictionary<int, int> Operated(IDictionary<int, int> made, int size)
    {
        for (int step = 0; step < 3 * size; step++)
        {
            if (random.Next(3) == 0) made.Remove(random.Next(size));
            else made[random.Next(size)] = step;
            if (random.Next(20) == 0) made.Clear();
            if (random.Next(6) == 0) _ = made.Keys;
            if (random.Next(6) == 0) _ = made.Values;
        }
        return made;
    }

    /// A list, with nodes of it and one that was removed: any of them may be found first.
    static void Linked(int size)
    {
        var made = new LinkedList<int>();
        var removed = new LinkedListNode<int>(0);
        for (int step = 0; step < 3 * size; step++)
        {
            var some = made.First;
            for (int skip = random.Next(size); skip > 0 && some != null; skip--) some = some.Next ?? made.First;
            switch (random.Next(6))
            {
                case 0 when some != null:
                    made.Remove(some);
                    removed = some;
                    break;
                case 1 when some != null:
                    made.AddAfter(some, step);
                    break;
                case 2:
                    made.AddFirst(step);
                    break;
                case 3 when random.Next(4) == 0:
                    made.Clear();
                    break;
                default:
                    made.AddLast(step);
                    break;
            }
        }
        Good(made);
        if (size < 5)
        {
            Good(made, removed);
            if (made.First != null) Good(made, made.Last, made.First.Next ?? made.Last);
        }
    }

    static LinkedList<int> Three() => new LinkedList<int>(new[] { 1, 2, 3 });

    static SortedDictionary<int, int> Sorted() => new SortedDictionary<int, int> { [1] = 1, [2] = 2, [3] = 3, [4] = 4 };

    static object Root(object dictionary) => Get(Get(dictionary, "_set"), "root");

    /// The field of an object whose name users know.
    static FieldInfo Field(object of, string name) =>
        Fields(of.GetType()).First(field => field.Name == name || field.Name == "<" + name + ">k__BackingField");

    static IEnumerable<FieldInfo> Fields(Type type)
    {
        for (; type != null; type = type.BaseType)
        {
            foreach (FieldInfo field in type.GetFields(Declared)) yield return field;
        }
    }

    static object Get(object of, string name) => Field(of, name).GetValue(of);

    static void Set(object of, string name, object value) => Field(of, name).SetValue(of, value);

    /// The first object is the one whose class has the invariants. Each object is the first to be found once.
    static void Good(params object[] roots) => Print(Shipped(roots[0]), "good", roots);

    static void Bad(object root, Action<object> change, params object[] others)
    {
        change(root);
        Print(Shipped(root), "bad", others.Prepend(root).ToArray());
    }

    /// The name of the invariants: views belong to the class around them.
    static string Shipped(object of)
    {
        Type type = of.GetType();
        return Path(type.DeclaringType ?? type);
    }

    /// The name of a type without type arguments, as aback has it.
    static string Path(Type type)
    {
        string name = type.Name.Split('`')[0];
        return type.DeclaringType != null ? Path(type.DeclaringType) + "." + name : type.Namespace + "." + name;
    }

    static string Name(Type type)
    {
        if (type.IsArray) return Name(type.GetElementType()) + "[]";
        if (type == typeof(int)) return "int";
        string arguments = string.Join(", ", type.GetGenericArguments().Select(Name));
        return Path(type) + (arguments == "" ? "" : "<" + arguments + ">");
    }

    static bool IsPart(object value)
    {
        if (value == null) return false;
        Type type = value.GetType();
        // Comparers of elements are of classes that programs need not load.
        bool isComparer = type.Name.Contains("Comparer") && !type.Name.StartsWith("KeyValuePairComparer");
        return IsCollection(type) && !type.IsValueType && !isComparer
            || type.IsArray && (type.GetElementType() == typeof(int) || IsCollection(type.GetElementType()));
    }

    static bool IsCollection(Type type) => type.Namespace == "System.Collections.Generic";

    static void Print(string name, string kind, object[] roots)
    {
        output.Append("heap " + name + " " + kind + "\n");
        var known = new Dictionary<object, int>(ReferenceEqualityComparer.Instance);
        var order = new List<object>();
        int Number(object value)
        {
            if (!known.TryGetValue(value, out int number))
            {
                number = order.Count;
                known[value] = number;
                order.Add(value);
            }
            return number;
        }
        foreach (object root in roots) output.Append("root\t" + Number(root) + "\n");
        for (int at = 0; at < order.Count; at++)
        {
            object value = order[at];
            output.Append(at + "\t" + Name(value.GetType()));
            if (value is Array elements)
            {
                if (!elements.GetType().GetElementType().IsValueType)
                {
                    foreach (object element in elements) output.Append("\telement=" + Target(element));
                }
            }
            else
            {
                foreach (FieldInfo field in Fields(value.GetType()))
                {
                    object held = field.FieldType.IsValueType ? 0 : field.GetValue(value);
                    if (held != null && !IsPart(held)) continue;
                    string shown = field.Name.StartsWith('<') ? field.Name[1..field.Name.IndexOf('>')] : field.Name;
                    output.Append("\t" + Name(field.DeclaringType) + "." + shown + "=" + Target(held));
                }
            }
            output.Append('\n');
        }
        string Target(object value) => value == null ? "null" : Number(value).ToString();
    }
}
