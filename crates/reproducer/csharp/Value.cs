    /// <summary>Makes a struct from the names and values of its fields.</summary>
    static object Value(System.Type type, params object[] fields)
    {
        object made = Make(type);
        for (int i = 0; i + 1 < fields.Length; i += 2)
        {
            Set(type, made, (string)fields[i], fields[i + 1]);
        }
        return made;
    }
