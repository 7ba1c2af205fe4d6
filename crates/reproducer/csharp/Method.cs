    /// <summary>Finds a method or constructor, also a private one.</summary>
    static System.Reflection.MethodBase Method(System.Type type, string name, System.Type[] arguments, params System.Type[] parameters)
    {
        System.Reflection.BindingFlags flags = System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Static
            | System.Reflection.BindingFlags.Public | System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.DeclaredOnly;
        foreach (System.Reflection.MemberInfo member in type.GetMember(name, flags))
        {
            System.Reflection.MethodBase method = member as System.Reflection.MethodBase;
            if (method is System.Reflection.MethodInfo generic && generic.IsGenericMethodDefinition
                && generic.GetGenericArguments().Length == arguments.Length)
            {
                method = generic.MakeGenericMethod(arguments);
            }
            System.Type[] found = method == null ? null : System.Array.ConvertAll(method.GetParameters(), one => one.ParameterType);
            if (found != null && !method.ContainsGenericParameters && System.Linq.Enumerable.SequenceEqual(found, parameters))
            {
                return method;
            }
        }
        throw new System.MissingMethodException(type.FullName, name);
    }
