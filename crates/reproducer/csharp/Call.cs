    /// <summary>Calls a method or constructor, also a private one. The receiver is the first argument. Arguments by reference
    /// with the same number among the variables are one variable, whose value is written back; a span is its array, start and
    /// length. Returns the result, if it is a value that an object can be.</summary>
    static object Call(System.Reflection.MethodBase method, object[] arguments, int[] variables)
    {
        System.Collections.Generic.List<System.Type> types = new System.Collections.Generic.List<System.Type>();
        if (!method.IsStatic && !method.IsConstructor)
        {
            types.Add(method.DeclaringType.IsValueType ? method.DeclaringType.MakeByRefType() : method.DeclaringType);
        }
        foreach (System.Reflection.ParameterInfo parameter in method.GetParameters())
        {
            types.Add(parameter.ParameterType);
        }
        System.Reflection.Emit.DynamicMethod caller = new System.Reflection.Emit.DynamicMethod(
            "Call", typeof(object), new[] { typeof(object[]) }, method.Module, true);
        System.Reflection.Emit.ILGenerator code = caller.GetILGenerator();
        System.Collections.Generic.Dictionary<int, System.Reflection.Emit.LocalBuilder> locals
            = new System.Collections.Generic.Dictionary<int, System.Reflection.Emit.LocalBuilder>();
        System.Collections.Generic.List<object> values = new System.Collections.Generic.List<object>();
        System.Collections.Generic.Dictionary<int, int> places = new System.Collections.Generic.Dictionary<int, int>();
        void Load(object value, System.Type type)
        {
            code.Emit(System.Reflection.Emit.OpCodes.Ldarg_0);
            code.Emit(System.Reflection.Emit.OpCodes.Ldc_I4, values.Count);
            code.Emit(System.Reflection.Emit.OpCodes.Ldelem_Ref);
            code.Emit(System.Reflection.Emit.OpCodes.Unbox_Any, type);
            values.Add(value);
        }
        System.Reflection.Emit.LocalBuilder left = code.DeclareLocal(typeof(object));
        code.BeginExceptionBlock();
        for (int i = 0; i < types.Count; i++)
        {
            System.Type type = types[i];
            if (type.IsByRef)
            {
                if (!locals.ContainsKey(variables[i]))
                {
                    locals[variables[i]] = code.DeclareLocal(type.GetElementType());
                    places[variables[i]] = values.Count;
                    Load(arguments[i], type.GetElementType());
                    code.Emit(System.Reflection.Emit.OpCodes.Stloc, locals[variables[i]]);
                }
                code.Emit(System.Reflection.Emit.OpCodes.Ldloca, locals[variables[i]]);
            }
            else if (arguments[i] is object[] span && type.IsGenericType
                && (type.GetGenericTypeDefinition() == typeof(System.Span<>) || type.GetGenericTypeDefinition() == typeof(System.ReadOnlySpan<>)))
            {
                System.Type array = type.GetGenericArguments()[0].MakeArrayType();
                Load(span[0], array);
                Load(span[1], typeof(int));
                Load(span[2], typeof(int));
                code.Emit(System.Reflection.Emit.OpCodes.Newobj, type.GetConstructor(new[] { array, typeof(int), typeof(int) }));
            }
            else
            {
                Load(arguments[i], type);
            }
        }
        System.Type result = typeof(void);
        if (method is System.Reflection.ConstructorInfo constructor)
        {
            code.Emit(System.Reflection.Emit.OpCodes.Newobj, constructor);
            result = constructor.DeclaringType;
        }
        else
        {
            System.Reflection.MethodInfo called = (System.Reflection.MethodInfo)method;
            bool isVirtual = called.IsVirtual && !called.DeclaringType.IsValueType;
            code.Emit(isVirtual ? System.Reflection.Emit.OpCodes.Callvirt : System.Reflection.Emit.OpCodes.Call, called);
            result = called.ReturnType;
        }
        if (result.IsByRef || result.IsPointer || result.IsByRefLike)
        {
            code.Emit(System.Reflection.Emit.OpCodes.Pop);
        }
        else if (result != typeof(void))
        {
            code.Emit(System.Reflection.Emit.OpCodes.Box, result);
            code.Emit(System.Reflection.Emit.OpCodes.Stloc, left);
        }
        code.BeginFinallyBlock();
        foreach (System.Collections.Generic.KeyValuePair<int, int> place in places)
        {
            code.Emit(System.Reflection.Emit.OpCodes.Ldarg_0);
            code.Emit(System.Reflection.Emit.OpCodes.Ldc_I4, place.Value);
            code.Emit(System.Reflection.Emit.OpCodes.Ldloc, locals[place.Key]);
            code.Emit(System.Reflection.Emit.OpCodes.Box, locals[place.Key].LocalType);
            code.Emit(System.Reflection.Emit.OpCodes.Stelem_Ref);
        }
        code.EndExceptionBlock();
        code.Emit(System.Reflection.Emit.OpCodes.Ldloc, left);
        code.Emit(System.Reflection.Emit.OpCodes.Ret);
        object[] given = values.ToArray();
        try
        {
            return ((System.Func<object[], object>)caller.CreateDelegate(typeof(System.Func<object[], object>)))(given);
        }
        finally
        {
            for (int i = 0; i < types.Count; i++)
            {
                arguments[i] = types[i].IsByRef ? given[places[variables[i]]] : arguments[i];
            }
        }
    }
