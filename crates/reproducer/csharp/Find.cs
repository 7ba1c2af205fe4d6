    /// <summary>Finds a type that sources cannot name.</summary>
    static System.Type Find(string name, string assembly)
    {
        System.Type found = System.Type.GetType(name) ?? System.Type.GetType(name + ", " + assembly);
        foreach (System.Reflection.Assembly loaded in System.AppDomain.CurrentDomain.GetAssemblies())
        {
            found = found ?? loaded.GetType(name);
        }
        return found ?? throw new System.TypeLoadException("there is no type " + name);
    }
