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
        // Texts are written into messages. Messages with other values have a class of their own, and are not read.
        static bool IsText(object value) => value == null || value is string;

        // The translator replaces this by the text, as it does for the library.
        internal static string GetResourceString(string key) => throw new NotImplementedException();

        // The translator makes the object.
        static string Unformatted(string template) => throw new NotImplementedException();

        internal static string Format(string resourceFormat, object p1) =>
            IsText(p1) ? string.Format(resourceFormat, p1) : Unformatted(resourceFormat);

        internal static string Format(string resourceFormat, object p1, object p2) =>
            IsText(p1) && IsText(p2) ? string.Format(resourceFormat, p1, p2) : Unformatted(resourceFormat);

        internal static string Format(string resourceFormat, object p1, object p2, object p3) =>
            IsText(p1) && IsText(p2) && IsText(p3)
                ? string.Format(resourceFormat, p1, p2, p3)
                : Unformatted(resourceFormat);

        internal static string Format(string resourceFormat, params object[] args) => Unformatted(resourceFormat);

        internal static string Format(IFormatProvider provider, string resourceFormat, object p1) =>
            Format(resourceFormat, p1);

        internal static string Format(IFormatProvider provider, string resourceFormat, object p1, object p2) =>
            Format(resourceFormat, p1, p2);
    }
}
