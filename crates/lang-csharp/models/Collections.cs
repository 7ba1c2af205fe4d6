// Replaces code of the class library that works on arrays through raw memory.

namespace Models.System
{
    using global::System;
    using global::System.Collections.Generic;

    static class Array
    {
        public static void Copy(global::System.Array sourceArray, global::System.Array destinationArray, int length) =>
            Copy(sourceArray, 0, destinationArray, 0, length);

        public static void Copy(
            global::System.Array sourceArray,
            int sourceIndex,
            global::System.Array destinationArray,
            int destinationIndex,
            int length)
        {
            ArgumentNullException.ThrowIfNull(sourceArray);
            ArgumentNullException.ThrowIfNull(destinationArray);
            ArgumentOutOfRangeException.ThrowIfNegative(length);
            ArgumentOutOfRangeException.ThrowIfNegative(sourceIndex);
            if (length > Count(sourceArray) - sourceIndex)
            {
                throw new ArgumentException(SR.GetResourceString("Arg_LongerThanSrcArray"), nameof(sourceArray));
            }
            ArgumentOutOfRangeException.ThrowIfNegative(destinationIndex);
            if (length > Count(destinationArray) - destinationIndex)
            {
                throw new ArgumentException(SR.GetResourceString("Arg_LongerThanDestArray"), nameof(destinationArray));
            }
            if (!Takes(sourceArray, destinationArray) && !Takes(destinationArray, sourceArray))
            {
                throw new ArrayTypeMismatchException(SR.GetResourceString("ArrayTypeMismatch_CantAssignType"));
            }
            try
            {
                Move(sourceArray, sourceIndex, destinationArray, destinationIndex, length);
            }
            catch (ArrayTypeMismatchException)
            {
                throw new InvalidCastException(SR.GetResourceString("InvalidCast_DownCastArrayElement"));
            }
        }

        public static void Clear(global::System.Array array)
        {
            ArgumentNullException.ThrowIfNull(array);
            Zero(array, 0, Count(array));
        }

        public static void Clear(global::System.Array array, int index, int length)
        {
            ArgumentNullException.ThrowIfNull(array);
            if (index < 0 || length < 0 || length > Count(array) - index)
            {
                throw new IndexOutOfRangeException();
            }
            Zero(array, index, length);
        }

        public static object GetValue(global::System.Array self, int index)
        {
            if (self.Rank != 1)
            {
                throw new ArgumentException(SR.GetResourceString("Arg_Need1DArray"));
            }
            // The runtime compares without sign.
            if ((uint)index >= (uint)Count(self))
            {
                throw new IndexOutOfRangeException();
            }
            return Element(self, index);
        }

        static object InternalGetValue(global::System.Array self, nint flattenedIndex) =>
            Element(self, (int)flattenedIndex);

        // The translator replaces these by what the runtime does with arrays of the exact type.
        internal static int Count(global::System.Array array) => throw new NotImplementedException();

        internal static object Element(global::System.Array array, int index) => throw new NotImplementedException();

        internal static void Move(global::System.Array from, int start, global::System.Array to, int at, int count) =>
            throw new NotImplementedException();

        internal static bool Takes(global::System.Array array, global::System.Array other) =>
            throw new NotImplementedException();

        internal static void Zero(global::System.Array array, int start, int count) =>
            throw new NotImplementedException();
    }

    static class GC
    {
        // What memory contained before is not known: the user's code is not allowed to ask for it.
        public static T[] AllocateUninitializedArray<T>(int length, bool pinned) => new T[length];

        public static T[] AllocateArray<T>(int length, bool pinned) => new T[length];
    }
}
