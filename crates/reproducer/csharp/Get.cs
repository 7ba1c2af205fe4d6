    /// <summary>Reads a field, also if it is private.</summary>
    static object Get(System.Type type, object target, string name)
    {
        System.Reflection.BindingFlags flags = System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Public
            | System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.DeclaredOnly;
        System.Reflection.FieldInfo field = type.GetField(name, flags)
            ?? throw new System.MissingFieldException(type.FullName, name);
        return field.GetValue(target);
    }
