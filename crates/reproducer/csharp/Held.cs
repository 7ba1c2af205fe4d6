    /// <summary>Reads a static field.</summary>
    static object Held(System.Type type, string name)
    {
        System.Reflection.BindingFlags flags = System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.Public
            | System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.DeclaredOnly;
        System.Reflection.FieldInfo field = type.GetField(name, flags)
            ?? throw new System.MissingFieldException(type.FullName, name);
        return field.GetValue(null);
    }
