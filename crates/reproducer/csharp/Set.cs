    /// <summary>Writes a field, also if it is private or read-only.</summary>
    static void Set(System.Type type, object target, string name, object value)
    {
        System.Reflection.BindingFlags flags = System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Public
            | System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.DeclaredOnly;
        System.Reflection.FieldInfo field = type.GetField(name, flags)
            ?? throw new System.MissingFieldException(type.FullName, name);
        field.SetValue(target, value);
    }
