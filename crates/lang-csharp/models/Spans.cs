// Replaces code of the class library that clears and fills spans through raw memory.

namespace Models.System
{
    using global::System;

    static class Span<T>
    {
        public static void Clear(ref global::System.Span<T> self)
        {
            for (int i = 0; i < self.Length; i++)
            {
                self[i] = default;
            }
        }

        public static void Fill(ref global::System.Span<T> self, T value)
        {
            for (int i = 0; i < self.Length; i++)
            {
                self[i] = value;
            }
        }
    }
}
