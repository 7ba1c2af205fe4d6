// Replaces code of the class library that looks into objects of unknown types.

namespace Models.System
{
    using global::System;

    static class Delegate
    {
        public static global::System.Delegate Combine(global::System.Delegate a, global::System.Delegate b)
        {
            if ((object)a == null)
            {
                return b;
            }
            if ((object)b == null)
            {
                return a;
            }
            if (a.GetType() != b.GetType())
            {
                throw new ArgumentException(SR.GetResourceString("Arg_DlgtTypeMis"));
            }
            global::System.Delegate[] first = List(a), second = List(b);
            var all = new global::System.Delegate[first.Length + second.Length];
            for (int i = 0; i < first.Length; i++)
            {
                all[i] = first[i];
            }
            for (int i = 0; i < second.Length; i++)
            {
                all[first.Length + i] = second[i];
            }
            return Of(a, all);
        }

        public static global::System.Delegate Remove(global::System.Delegate source, global::System.Delegate value)
        {
            if ((object)source == null)
            {
                return null;
            }
            if ((object)value == null)
            {
                return source;
            }
            if (source.GetType() != value.GetType())
            {
                throw new ArgumentException(SR.GetResourceString("Arg_DlgtTypeMis"));
            }
            global::System.Delegate[] all = List(source), removed = List(value);
            for (int start = all.Length - removed.Length; start >= 0; start--)
            {
                if (!Match(all, start, removed))
                {
                    continue;
                }
                int count = all.Length - removed.Length;
                if (count == 0)
                {
                    return null;
                }
                var rest = new global::System.Delegate[count];
                for (int i = 0; i < count; i++)
                {
                    rest[i] = all[i < start ? i : i + removed.Length];
                }
                return count == 1 ? rest[0] : Of(source, rest);
            }
            return source;
        }

        public static bool op_Equality(global::System.Delegate d1, global::System.Delegate d2) => Alike(d1, d2);

        public static bool op_Inequality(global::System.Delegate d1, global::System.Delegate d2) => !Alike(d1, d2);

        public static bool Equals(global::System.Delegate self, object obj) =>
            obj is global::System.Delegate other && Alike(self, other);

        public static global::System.Delegate[] GetInvocationList(global::System.Delegate self)
        {
            global::System.Delegate[] list = List(self);
            var copy = new global::System.Delegate[list.Length];
            for (int i = 0; i < list.Length; i++)
            {
                copy[i] = list[i];
            }
            return copy;
        }

        internal static bool Alike(global::System.Delegate a, global::System.Delegate b)
        {
            if ((object)a == (object)b)
            {
                return true;
            }
            if ((object)a == null || (object)b == null || a.GetType() != b.GetType())
            {
                return false;
            }
            global::System.Delegate[] first = List(a), second = List(b);
            return first.Length == second.Length && Match(first, 0, second);
        }

        static bool Match(global::System.Delegate[] all, int start, global::System.Delegate[] part)
        {
            for (int i = 0; i < part.Length; i++)
            {
                if (!Same(all[start + i], part[i]))
                {
                    return false;
                }
            }
            return true;
        }

        // The translator replaces these by methods of the delegates' classes.
        static global::System.Delegate[] List(global::System.Delegate of) => throw new NotImplementedException();
        static global::System.Delegate Of(global::System.Delegate like, global::System.Delegate[] all) =>
            throw new NotImplementedException();
        static bool Same(global::System.Delegate a, global::System.Delegate b) => throw new NotImplementedException();
    }

    static class MulticastDelegate
    {
        public static bool op_Equality(global::System.MulticastDelegate d1, global::System.MulticastDelegate d2) =>
            Delegate.Alike(d1, d2);

        public static bool op_Inequality(global::System.MulticastDelegate d1, global::System.MulticastDelegate d2) =>
            !Delegate.Alike(d1, d2);

        public static bool Equals(global::System.MulticastDelegate self, object obj) =>
            obj is global::System.Delegate other && Delegate.Alike(self, other);

        public static global::System.Delegate[] GetInvocationList(global::System.MulticastDelegate self) =>
            Delegate.GetInvocationList(self);
    }

    static class ValueType
    {
        public static bool Equals(global::System.ValueType self, object obj) => Alike(self, obj);

        public static int GetHashCode(global::System.ValueType self) => Hashes.OfParts(self.GetType(), Parts(self));

        // The translator replaces these by methods of the boxes' classes.
        internal static bool Alike(global::System.ValueType a, object b) => throw new NotImplementedException();
        static int[] Parts(global::System.ValueType of) => throw new NotImplementedException();
    }
}
