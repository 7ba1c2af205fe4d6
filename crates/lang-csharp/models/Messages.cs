// Replaces the writing of values into the texts of messages, which would cost more than the rest of a path.

namespace Models.System
{
    using global::System;

    // Texts for those who read them.
    static class Texts
    {
        internal static string Format1(string template, object p1) => string.Format(template, p1);

        internal static string Format2(string template, object p1, object p2) => string.Format(template, p1, p2);

        internal static string Format3(string template, object p1, object p2, object p3) =>
            string.Format(template, p1, p2, p3);
    }

    static class SR
    {
        // The translator replaces this by the text, as it does for the library.
        internal static string GetResourceString(string key) => throw new NotImplementedException();

        // The translator makes a string that keeps the values, which is written when a message is read.
        static string Unformatted(string template, object p1, object p2, object p3) =>
            throw new NotImplementedException();

        static bool IsText(object value) => value is null or string;

        internal static string Format(string resourceFormat, object p1) =>
            IsText(p1) ? string.Format(resourceFormat, p1) : Unformatted(resourceFormat, p1, null, null);

        internal static string Format(string resourceFormat, object p1, object p2) =>
            IsText(p1) && IsText(p2)
                ? string.Format(resourceFormat, p1, p2)
                : Unformatted(resourceFormat, p1, p2, null);

        internal static string Format(string resourceFormat, object p1, object p2, object p3) =>
            IsText(p1) && IsText(p2) && IsText(p3)
                ? string.Format(resourceFormat, p1, p2, p3)
                : Unformatted(resourceFormat, p1, p2, p3);

        internal static string Format(string resourceFormat, params object[] args) =>
            Unformatted(resourceFormat, args, null, null);

        internal static string Format(IFormatProvider provider, string resourceFormat, object p1) =>
            Format(resourceFormat, p1);

        internal static string Format(IFormatProvider provider, string resourceFormat, object p1, object p2) =>
            Format(resourceFormat, p1, p2);

        // The text with its values, if nothing can have changed them since; null otherwise.
        internal static string Written(string template, object p1, object p2, object p3) =>
            IsConstant(p1) && IsConstant(p2) && IsConstant(p3) ? string.Format(template, p1, p2, p3) : null;

        static bool IsConstant(object value) =>
            value is null or string or int or long or char or byte or short or uint or ulong or decimal
                or global::System.Enum or Type;

        internal static string WasThrown(global::System.Exception exception) =>
            string.Format(GetResourceString("Exception_WasThrown"), exception.GetType());
    }
}
