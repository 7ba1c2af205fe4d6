// One of everything that the tests ask for.
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;

[assembly: TypeForwardedTo(typeof(List<>))]

namespace Sample
{
    public enum Colour : byte { Red, Green = 200 }

    [AttributeUsage(AttributeTargets.All)]
    public sealed class NoteAttribute : Attribute
    {
        public NoteAttribute(string text, int[] numbers, Type type, Colour colour, object boxed) { }
        public NoteAttribute() { }
        public bool Flag { get; set; }
        public Colour Shade;
    }

    public sealed class TagAttribute<T> : Attribute
    {
        public TagAttribute(T value) { }
    }

    public interface ISource<out T>
    {
        T Next();
    }

    [StructLayout(LayoutKind.Explicit, Pack = 4, Size = 24)]
    public struct Bits
    {
        [FieldOffset(0)] public long Whole;
        [FieldOffset(4)] public int High;
    }

    [Note("text", new[] { 1, -2 }, typeof(string), Colour.Green, Colour.Green, Flag = true, Shade = Colour.Green)]
    [Tag<string>("tag")]
    public abstract class Shapes<T, U> : ISource<T> where T : class, IComparable<T>, new() where U : struct
    {
        public const string Name = "name\ud800";
        public const double Half = 0.5;
        public const Colour Favourite = Colour.Green;
        public const object Nothing = null;
        protected static readonly int[] Table = { 1, 2, 3, 4, 5 };
        internal volatile int Count;
        private Dictionary<string, List<T[]>>[,] grid;

        public event EventHandler Changed;

        public int this[int index, string key]
        {
            get => index;
            protected set { Changed?.Invoke(this, null); }
        }

        T ISource<T>.Next() => default;

        public abstract void Draw(ref int x, out string y, in long z);

        public sealed class Inner
        {
            public struct Innermost { }
        }
    }

    public static class Code
    {
        [DllImport("native", EntryPoint = "entry")]
        public static extern int Native(nint handle);

        public static int Branches(int x)
        {
            const int limit = 7;
            const string nothing = null;
            const string greeting = "hi";
            if (x > limit)
            {
                int inner = x * 2;
                return inner;
            }
            switch (x)
            {
                case 0: return 10;
                case 1: return 11;
                case 2: return 12;
                default: return greeting.Length;
            }
        }

        public static int Handlers(int x)
        {
            try
            {
                try
                {
                    return checked(x + 1);
                }
                catch (OverflowException e) when (e.Message != null)
                {
                    return 1;
                }
                catch (IOException)
                {
                    throw;
                }
            }
            finally
            {
                Console.WriteLine("done");
            }
        }

        public static string Text<V>(V value) => value.ToString() + "\u00e9\ud83d\ude00";

        public static unsafe int Pointers(delegate*<int, long> function, int* numbers)
        {
            fixed (int* pinned = new int[3])
            {
                return (int)function(numbers[0]) + pinned[1];
            }
        }

        public static IEnumerable<int> Numbers(int n)
        {
            for (int i = 0; i < n; i++)
            {
                yield return i;
            }
        }

        public static async Task<int> Later()
        {
            await Task.Yield();
            return 1;
        }
    }
}
