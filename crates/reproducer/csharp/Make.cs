    /// <summary>Makes an object without running a constructor.</summary>
    static object Make(System.Type type)
    {
        return System.Runtime.CompilerServices.RuntimeHelpers.GetUninitializedObject(type);
    }
