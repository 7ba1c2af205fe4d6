// Stands in for what tests use of xUnit, where there is none.
namespace Xunit
{
    [System.AttributeUsage(System.AttributeTargets.Method)]
    public sealed class FactAttribute : System.Attribute { }

    public static class Assert
    {
        static void Check(bool condition, object expected, object actual)
        {
            if (!condition)
            {
                throw new System.Exception("expected: " + expected + ", but was: " + actual);
            }
        }

        public static void True(bool actual) => Check(actual, true, actual);

        public static void False(bool actual) => Check(!actual, false, actual);

        public static void Null(object actual) => Check(actual == null, "null", actual);

        public static void NotNull(object actual) => Check(actual != null, "an object", actual);

        public static void Same(object expected, object actual) => Check(ReferenceEquals(expected, actual), expected, actual);

        public static void Equal<T>(T expected, T actual)
        {
            Check(Equals(expected, actual), expected, actual);
        }

        public static void Equal<T>(T[] expected, T[] actual)
        {
            Check(System.Linq.Enumerable.SequenceEqual(expected, actual), expected, actual);
        }

        public static void Equal<T>(
            System.Collections.Generic.IEnumerable<T> expected, System.Collections.Generic.IEnumerable<T> actual)
        {
            Check(System.Linq.Enumerable.SequenceEqual(expected, actual), expected, actual);
        }

        public static void Empty(System.Collections.IEnumerable actual) => Check(!actual.GetEnumerator().MoveNext(), "nothing", actual);

        public static T IsType<T>(object actual)
        {
            Check(actual != null && actual.GetType() == typeof(T), typeof(T), actual?.GetType());
            return (T)actual;
        }

        public static T Throws<T>(System.Action action) where T : System.Exception
        {
            T thrown = ThrowsAny<T>(action);
            Check(thrown.GetType() == typeof(T), typeof(T), thrown.GetType());
            return thrown;
        }

        public static T ThrowsAny<T>(System.Action action) where T : System.Exception
        {
            try
            {
                action();
            }
            catch (T thrown)
            {
                return thrown;
            }
            throw new System.Exception("expected: " + typeof(T) + ", but nothing was thrown");
        }
    }
}
