// Cases about variables, memory, objects, arrays, calls and exceptions.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using static System.Reflection.Emit.OpCodes;

static partial class Generator
{
    // Types and members that the cases use; each assembly that is made has its own.
    static FieldBuilder number, count, first, second, ofI4, ofI8, ofR8, ofString;
    static TypeBuilder parent, child, pair, caseType;
    static ConstructorBuilder newParent, newChild;
    static MethodBuilder get, plain, twice, variable, down;

    static readonly Type[] Small = [typeof(sbyte), typeof(byte), typeof(short), typeof(ushort), typeof(char), typeof(bool)];
    static readonly Dictionary<Type, MethodBuilder> Taking = [], Returning = [];

    /// class Parent { int Number; static int Count; virtual int Get() => 1; int Plain() => 3; }
    /// class Child : Parent { override int Get() => 2; }
    /// struct Pair { int First; long Second; }
    static void Members(ModuleBuilder module, TypeBuilder cases)
    {
        const MethodAttributes Shared = MethodAttributes.Public | MethodAttributes.Static;
        const MethodAttributes Virtual = MethodAttributes.Public | MethodAttributes.Virtual | MethodAttributes.HideBySig;
        caseType = cases;
        MethodBuilder Method(TypeBuilder type, string name, MethodAttributes attributes, Type result, Type[] parameters, params object[] code)
        {
            MethodBuilder method = type.DefineMethod(name, attributes, result, parameters);
            new Maker(method.GetILGenerator(), type).Do(code);
            return method;
        }
        ConstructorBuilder Constructor(TypeBuilder type, ConstructorInfo super)
        {
            ConstructorBuilder constructor = type.DefineConstructor(MethodAttributes.Public, CallingConventions.Standard, []);
            new Maker(constructor.GetILGenerator(), type).Do(Ldarg_0, Call, super, Ret);
            return constructor;
        }
        parent = module.DefineType("Parent", TypeAttributes.Public);
        number = parent.DefineField("Number", I4, FieldAttributes.Public);
        count = parent.DefineField("Count", I4, FieldAttributes.Public | FieldAttributes.Static);
        newParent = Constructor(parent, typeof(object).GetConstructor([]));
        get = Method(parent, "Get", Virtual | MethodAttributes.NewSlot, I4, [], Ldc_I4_1, Ret);
        plain = Method(parent, "Plain", MethodAttributes.Public, I4, [], Ldc_I4_3, Ret);
        parent.CreateType();
        child = module.DefineType("Child", TypeAttributes.Public, parent);
        newChild = Constructor(child, newParent);
        Method(child, "Get", Virtual, I4, [], Ldc_I4_2, Ret);
        child.CreateType();
        pair = module.DefineType("Pair", TypeAttributes.Public | TypeAttributes.Sealed | TypeAttributes.SequentialLayout, typeof(ValueType));
        first = pair.DefineField("First", I4, FieldAttributes.Public);
        second = pair.DefineField("Second", I8, FieldAttributes.Public);
        pair.CreateType();
        ofI4 = cases.DefineField("OfI4", I4, FieldAttributes.Public | FieldAttributes.Static);
        ofI8 = cases.DefineField("OfI8", I8, FieldAttributes.Public | FieldAttributes.Static);
        ofR8 = cases.DefineField("OfR8", R8, FieldAttributes.Public | FieldAttributes.Static);
        ofString = cases.DefineField("OfString", typeof(string), FieldAttributes.Public | FieldAttributes.Static);
        twice = Method(cases, "Twice", Shared, I4, [I4], Ldarg_0, Ldc_I4_2, Mul, Ret);
        foreach (Type type in Small)
        {
            Taking[type] = Method(cases, "Taking" + type.Name, Shared, I4, [type], Ldarg_0, Ret);
            Returning[type] = Method(cases, "Returning" + type.Name, Shared, type, [I4], Ldarg_0, Ret);
        }
        // Counts down to zero, in tail calls.
        down = cases.DefineMethod("Down", Shared, I4, [I4]);
        var m = new Maker(down.GetILGenerator(), cases);
        Label more = m.Label();
        m.Do(Ldarg_0, Brtrue_S, more, Ldc_I4_7, Ret);
        m.Mark(more);
        m.Do(Ldarg_0, Ldc_I4_1, Sub, Tailcall, Call, down, Ret);
        // .NET has lists of arguments of any number on Windows only, so that this method never runs.
        variable = cases.DefineMethod("Variable", Shared, CallingConventions.VarArgs, typeof(void), []);
        new Maker(variable.GetILGenerator(), cases).Do(Arglist, Pop, Ret);
    }

    static void Objects()
    {
        Variables();
        Memory();
        Fields();
        Boxes();
        Casts();
        Arrays();
        Calls();
        Exceptions();
    }

    static IEnumerable<object[]> Each(params object[] values) => values.Select(value => new[] { value });

    static void Variables()
    {
        Type[] six = [I4, I4, I4, I4, I4, I4];
        OpCode[] brief = [Ldarg_0, Ldarg_1, Ldarg_2, Ldarg_3];
        for (int index = 0; index < 6; index++)
        {
            int at = index;
            object[][] given = [[1, 2, 3, 4, 5, 6]];
            Add($"ldarg_{at}", I4, six, m => { if (at < 4) m.Do(brief[at]); else m.Do(at == 4 ? Ldarg_S : Ldarg, at); m.Do(Ret); }, given);
            Add($"starg_{at}", I4, six, m => m.Do(Ldc_I4_S, 50, at < 3 ? Starg_S : Starg, at, Ldarg, at, Ldarg_0, OpCodes.Add, Ret), given);
            Add($"ldarga_{at}", I4, six, m => m.Do(at < 3 ? Ldarga_S : Ldarga, at, Ldind_I4, Ret), given);
            Add($"ldloc_{at}", I4, [I4], m =>
            {
                for (int local = 0; local < 6; local++) m.Local(I4);
                OpCode[] loads = [Ldloc_0, Ldloc_1, Ldloc_2, Ldloc_3], stores = [Stloc_0, Stloc_1, Stloc_2, Stloc_3];
                m.Do(Ldarg_0);
                if (at < 4) m.Do(stores[at], loads[at]); else m.Do(at == 4 ? Stloc_S : Stloc, at, at == 4 ? Ldloc_S : Ldloc, at);
                m.Do(at < 3 ? Ldloca_S : Ldloca, at, Ldind_I4, Mul, Ret);
            }, [[3], [-4]]);
        }
        Add("local_is_zero", I4, m => { m.Local(I4); m.Do(Ldloc_0, Ret); });
        OpCode[] constants = [Ldc_I4_M1, Ldc_I4_0, Ldc_I4_1, Ldc_I4_2, Ldc_I4_3, Ldc_I4_4, Ldc_I4_5, Ldc_I4_6, Ldc_I4_7, Ldc_I4_8];
        foreach (OpCode op in constants) Add(Of(op), I4, m => m.Do(op, Ret));
        Add("ldc_i4_s", I4, m => m.Do(Ldc_I4_S, -100, Ret));
        Add("ldc_i4", I4, m => m.Do(Ldc_I4, int.MinValue, Ret));
        Add("ldc_i8", I8, m => m.Do(Ldc_I8, long.MinValue, Ret));
        Add("ldc_r4", R4, m => m.Do(Ldc_R4, 1.1f, Ret));
        Add("ldc_r4_nan", R4, m => m.Do(Ldc_R4, float.NaN, Ret));
        Add("ldc_r8", R8, m => m.Do(Ldc_R8, -1.1e-310, Ret));
        Add("ldc_r8_zero", R8, m => m.Do(Ldc_R8, -0.0, Ret));
        Add("ldnull", I4, m => m.Do(Ldnull, Ldnull, Ceq, Ret));
        Add("ldstr", I4, [I4], m => m.Do(Ldstr, "a\0\u1234b", Ldarg_0, Call, typeof(string).GetMethod("get_Chars"), Ret), Each(0, 1, 2, 3, 4));
        Add("dup", I4, [I4], m => m.Do(Ldarg_0, Dup, Mul, Ret), Each(-3, 65536));
        Add("dup_before_starg", I4, [I4], m => m.Do(Ldarg_0, Dup, Ldc_I4_1, OpCodes.Add, Starg_S, 0, Ldarg_0, Sub, Ret), Each(5));
        Add("pop", I4, [I4], m => m.Do(Ldc_I4_1, Ldarg_0, Pop, Ret), Each(5));
        Add("nop", I4, [I4], m => m.Do(Nop, Ldarg_0, Nop, Ret), Each(5));
        Add("break", I4, [I4], m =>
        {
            Label over = m.Label();
            m.Do(Ldarg_0, Brtrue_S, over, OpCodes.Break);
            m.Mark(over);
            m.Do(Ldc_I4_1, Ret);
        }, Each(1));
        foreach (Type type in Small)
        {
            object[][] given = type == typeof(bool) ? Each(0, 1, 2).ToArray() : Each(0, 1, 2, -1, 127, 128, 255, 256, 65535, 65536, -32769).ToArray();
            Add($"local_{type.Name}", I4, [I4], m => { m.Local(type); m.Do(Ldarg_0, Stloc_0, Ldloc_0, Ret); }, given);
            Add($"parameter_{type.Name}", I4, [I4], m => m.Do(Ldarg_0, Call, Taking[type], Ret), given);
            Add($"result_{type.Name}", I4, [I4], m => m.Do(Ldarg_0, Call, Returning[type], Ret), given);
        }
        Add("local_r4", R4, [R8], m => { m.Local(R4); m.Do(Ldarg_0, Stloc_0, Ldloc_0, Ret); }, Each(0.1, 1e300, double.NaN));
        Add("local_r8", R8, [R4], m => { m.Local(R8); m.Do(Ldarg_0, Stloc_0, Ldloc_0, Ret); }, Each(0.1f, float.NaN));
        Add("result_r4", R4, [R8], m => m.Do(Ldarg_0, Ret), Each(0.1, 1e300));
        Add("local_i", Native, [I4], m => { m.Local(Native); m.Do(Ldarg_0, Stloc_0, Ldloc_0, Ret); }, Each(-1, 5));
        // A truth value that is neither 0 nor 1.
        Add("true_is_two", I4, [I4], m => { m.Local(typeof(bool)); m.Do(Ldarg_0, Stloc_0, Ldloc_0, Ldc_I4_1, Ceq, Ret); }, Each(0, 1, 2));
        // A truth value from the stack at a join: of truth values alone, and with another number.
        foreach (int number in new[] { 1, 2 })
            Add($"true_or_{number}", I4, [I4], m =>
            {
                m.Local(typeof(bool));
                Label other = m.Label(), join = m.Label();
                m.Do(Ldarg_0, Ldc_I4_5, Bgt, other, Ldarg_0, Ldc_I4_3, Cgt, Br, join);
                m.Mark(other);
                m.Do(Ldc_I4, number);
                m.Mark(join);
                m.Do(Stloc_0, Ldloc_0, Ret);
            }, Each(3, 4, 6));
        Add("sum_of_comparisons", I4, [I4], m => m.Do(Ldarg_0, Ldc_I4_5, Cgt, Ldarg_0, Ldc_I4_7, Cgt, OpCodes.Add, Ret), Each(5, 6, 8));
        Add("not_of_comparison", I4, [I4], m => m.Do(Ldarg_0, Ldc_I4_5, Cgt, Not, Ret), Each(5, 6));
        Add("neg_of_comparison", I4, [I4], m => m.Do(Ldarg_0, Ldc_I4_5, Cgt, Neg, Ret), Each(5, 6));
        Add("order_of_comparisons", I4, [I4], m => m.Do(Ldarg_0, Ldc_I4_5, Cgt, Ldarg_0, Ldc_I4_7, Cgt, Cgt, Ret), Each(5, 6, 8));
    }

    /// Types in memory, how they are loaded and stored, and their type on the stack.
    static readonly (string Name, Type Type, OpCode Load, OpCode Store, OpCode OfArray, OpCode ToArray, Type Stack)[] Stored = [
        ("i1", typeof(sbyte), Ldind_I1, Stind_I1, Ldelem_I1, Stelem_I1, I4), ("u1", typeof(byte), Ldind_U1, Stind_I1, Ldelem_U1, Stelem_I1, I4),
        ("bool", typeof(bool), Ldind_U1, Stind_I1, Ldelem_U1, Stelem_I1, I4), ("char", typeof(char), Ldind_U2, Stind_I2, Ldelem_U2, Stelem_I2, I4),
        ("i2", typeof(short), Ldind_I2, Stind_I2, Ldelem_I2, Stelem_I2, I4), ("u2", typeof(ushort), Ldind_U2, Stind_I2, Ldelem_U2, Stelem_I2, I4),
        ("i4", typeof(int), Ldind_I4, Stind_I4, Ldelem_I4, Stelem_I4, I4), ("u4", typeof(uint), Ldind_U4, Stind_I4, Ldelem_U4, Stelem_I4, I4),
        ("i8", typeof(long), Ldind_I8, Stind_I8, Ldelem_I8, Stelem_I8, I8), ("i", typeof(nint), Ldind_I, Stind_I, Ldelem_I, Stelem_I, Native),
        ("r4", typeof(float), Ldind_R4, Stind_R4, Ldelem_R4, Stelem_R4, R4), ("r8", typeof(double), Ldind_R8, Stind_R8, Ldelem_R8, Stelem_R8, R8)];

    static object[] Values(Type type, Type stored) =>
        stored == typeof(bool) ? [0, 1] : type == I4 ? [0, 1, -1, 200, 40000, int.MinValue] : type == I8 ? [-1L, long.MaxValue] : type == Native ? [(nint)(-1)] :
        type == R4 ? [1.5f, float.NaN] : [-0.0, 0.1];

    static void Memory()
    {
        foreach (var (name, type, load, store, _, _, stack) in Stored)
        {
            void Case(string of, Action<Maker> code) => Add($"{of}_{name}", stack, [stack], m => { m.Local(type); code(m); }, Each(Values(stack, type)));
            Case("ind", m => m.Do(Ldloca_S, 0, Ldarg_0, store, Ldloca_S, 0, load, Ret));
            Case("volatile", m => m.Do(Ldloca_S, 0, Ldarg_0, Volatile, store, Ldloca_S, 0, Volatile, load, Ret));
            Case("obj", m => m.Do(Ldloca_S, 0, Ldarg_0, Stobj, type, Ldloca_S, 0, Ldobj, type, Ret));
            Case("cpobj", m => { m.Local(type); m.Do(Ldarg_0, Stloc_0, Ldloca_S, 1, Ldloca_S, 0, Cpobj, type, Ldloc_1, Ret); });
            Case("initobj", m => m.Do(Ldarg_0, Stloc_0, Ldloca_S, 0, Initobj, type, Ldloc_0, Ret));
            Case("localloc", m =>
            {
                LocalBuilder pointer = m.Local(type.MakePointerType());
                m.Do(Ldc_I4_S, 16, Conv_U, Localloc, Stloc, pointer, Ldloc, pointer, Ldarg_0, store, Ldloc, pointer, load, Ret);
            });
        }
        Add("unaligned", I4, [I4], m =>
        {
            m.Local(I4);
            m.Il.Emit(Ldloca_S, (byte)0);
            m.Do(Ldarg_0);
            m.Il.Emit(Unaligned, (byte)1);
            m.Do(Stind_I4, Ldloca_S, 0);
            m.Il.Emit(Unaligned, (byte)2);
            m.Do(Volatile, Ldind_I4, Ret);
        }, Each(5));
        // The same memory, read with another sign.
        Add("ind_i1_as_u1", I4, [I4], m => { m.Local(typeof(sbyte)); m.Do(Ldarg_0, Stloc_0, Ldloca_S, 0, Ldind_U1, Ret); }, Each(-1, 5));
        Add("ind_u1_as_i1", I4, [I4], m => { m.Local(typeof(byte)); m.Do(Ldarg_0, Stloc_0, Ldloca_S, 0, Ldind_I1, Ret); }, Each(255, 5));
        Add("ind_i2_as_u2", I4, [I4], m => { m.Local(typeof(short)); m.Do(Ldarg_0, Stloc_0, Ldloca_S, 0, Ldind_U2, Ret); }, Each(-1, 5));
        Add("ind_u2_as_i2", I4, [I4], m => { m.Local(typeof(ushort)); m.Do(Ldarg_0, Stloc_0, Ldloca_S, 0, Ldind_I2, Ret); }, Each(65535, 5));
        Add("ind_i4_as_u4", I8, [I4], m => { m.Local(I4); m.Do(Ldarg_0, Stloc_0, Ldloca_S, 0, Ldind_U4, Conv_I8, Ret); }, Each(-1, 5));
        Add("ind_i4_as_u1", I4, [I4], m => { m.Local(I4); m.Do(Ldarg_0, Stloc_0, Ldloca_S, 0, Ldind_U1, Ret); }, Each(-1, 257));
        Add("ind_i4_as_r4", R4, [I4], m => { m.Local(I4); m.Do(Ldarg_0, Stloc_0, Ldloca_S, 0, Ldind_R4, Ret); }, Each(0, 0x3f800000));
        Add("ind_i8_as_i4", I4, [I8], m => { m.Local(I8); m.Do(Ldarg_0, Stloc_0, Ldloca_S, 0, Ldind_I4, Ret); }, Each(1L << 32));
        Add("ind_null", I4, m => m.Do(Ldc_I4_0, Conv_U, Ldind_I4, Ret));
        Add("ind_ref", I4, m => { m.Local(typeof(string)); m.Do(Ldloca_S, 0, Ldstr, "abc", Stind_Ref, Ldloca_S, 0, Ldind_Ref, Callvirt, Length, Ret); });
        Add("obj_ref", I4, m => { m.Local(typeof(string)); m.Do(Ldloca_S, 0, Ldstr, "abc", Stobj, typeof(string), Ldloca_S, 0, Ldobj, typeof(string), Callvirt, Length, Ret); });
        Add("initobj_ref", I4, m => { m.Local(typeof(string)); m.Do(Ldstr, "abc", Stloc_0, Ldloca_S, 0, Initobj, typeof(string), Ldloc_0, Ldnull, Ceq, Ret); });
        Add("obj_struct", I8, [I4, I8], m =>
        {
            m.Local(pair); m.Local(pair); m.Local(pair);
            m.Do(Ldloca_S, 0, Ldarg_0, Stfld, first, Ldloca_S, 0, Ldarg_1, Stfld, second);
            m.Do(Ldloca_S, 1, Ldloca_S, 0, Ldobj, pair, Stobj, pair, Ldloca_S, 2, Ldloca_S, 1, Cpobj, pair, Ldloca_S, 1, Initobj, pair);
            m.Do(Ldloca_S, 2, Ldfld, second, Ldloc_2, Ldfld, first, Conv_I8, Sub, Ldloc_1, Ldfld, second, Sub, Ret);
        }, [[3, 10L]]);
        Add("localloc_dup", I4, [I4], m => m.Do(Ldc_I4_S, 16, Conv_U, Localloc, Dup, Ldarg_0, Stind_I4, Ldind_I4, Ret), Each(5));
        // Two elements of four bytes each.
        Add("localloc_elements", I4, [I4], m => { m.Local(typeof(int*)); m.Do(Ldc_I4_8, Conv_U, Localloc, Stloc_0,
            Ldloc_0, Ldarg_0, Stind_I4, Ldloc_0, Ldc_I4_4, OpCodes.Add, Ldc_I4_5, Stind_I4, Ldloc_0, Ldind_I4, Ldloc_0, Ldc_I4_4, OpCodes.Add, Ldind_I4, Sub, Ret); }, Each(7));
        Add("initblk", I4, [I4], m => m.Do(Ldc_I4_8, Conv_U, Localloc, Dup, Ldarg_0, Ldc_I4_8, Initblk, Ldind_I4, Ret), Each(0, 1));
        Add("initblk_unaligned", I4, [I4], m => { m.Do(Ldc_I4_8, Conv_U, Localloc, Dup, Ldarg_0, Ldc_I4_8); m.Il.Emit(Unaligned, (byte)1);
            m.Do(Volatile, Initblk, Ldind_U1, Ret); }, Each(0, 1));
        Add("cpblk", I4, [I4], m => { m.Local(I4); m.Local(I4); m.Do(Ldarg_0, Stloc_0, Ldloca_S, 1, Ldloca_S, 0, Ldc_I4_4, Cpblk, Ldloc_1, Ret); }, Each(9));
        (string, Type)[] sizes = [("bool", typeof(bool)), ("char", typeof(char)), ("u1", typeof(byte)), ("i4", I4), ("i8", I8), ("i", Native),
            ("r4", R4), ("r8", R8), ("string", typeof(string)), ("enum", typeof(DayOfWeek)), ("pointer", typeof(int*)), ("array", typeof(byte[]))];
        foreach (var (name, type) in sizes) Add($"sizeof_{name}", I4, m => m.Do(Sizeof, type, Ret));
        Add("sizeof_struct", I4, m => m.Do(Sizeof, pair, Ret));
        Add("sizeof_nullable", I4, m => m.Do(Sizeof, typeof(int?), Ret));
        Add("mkrefany", I4, [I4], m => m.Do(Ldarga_S, 0, Mkrefany, I4, Refanyval, I4, Ldind_I4, Ret), Each(5));
        Add("refanyval_other", I4, [I4], m => m.Do(Ldarga_S, 0, Mkrefany, I4, Refanyval, I8, Pop, Ldc_I4_1, Ret), Each(5));
        Add("refanytype", I4, [I4], m => m.Do(Ldarga_S, 0, Mkrefany, I4, Refanytype, Call, TypeOfHandle, Ldtoken, I4, Call, TypeOfHandle, Ceq, Ret), Each(5));
        // Managed pointers into the same and other variables.
        Add("pointers_equal", I4, 2, m => { m.Local(I4); m.Local(I4); Label other = m.Label(), join = m.Label();
            m.Do(Ldloca_S, 0, Ldarg_0, Brtrue_S, other, Ldloca_S, 0, Br_S, join); m.Mark(other); m.Do(Ldloca_S, 1); m.Mark(join); m.Do(Ceq, Ret); });
    }

    static readonly MethodInfo Length = typeof(string).GetProperty("Length")!.GetMethod;
    static readonly MethodInfo TypeOfHandle = typeof(Type).GetMethod("GetTypeFromHandle");

    /// Pushes null, a parent or a child: which is argument 0.
    static void Some(Maker m)
    {
        Label one = m.Label(), two = m.Label(), join = m.Label();
        m.Do(Ldarg_0, OpCodes.Switch, new[] { join, one, two });
        m.Mark(join);
        LocalBuilder local = m.Local(parent);
        Label end = m.Label();
        m.Do(Ldnull, Stloc, local, Br, end);
        m.Mark(one);
        m.Do(Newobj, newParent, Stloc, local, Br, end);
        m.Mark(two);
        m.Do(Newobj, newChild, Stloc, local);
        m.Mark(end);
        m.Do(Ldloc, local);
    }

    static void Fields()
    {
        Add("ldfld", I4, 3, m => { Some(m); m.Do(Ldfld, number, Ret); });
        Add("stfld", I4, 3, m => { Some(m); m.Do(Dup, Ldc_I4_5, Stfld, number, Ldfld, number, Ret); });
        Add("stfld_volatile", I4, 3, m => { Some(m); m.Do(Dup, Ldc_I4_5, Volatile, Stfld, number, Volatile, Ldfld, number, Ret); });
        Add("ldflda", I4, 3, m => { Some(m); m.Do(Dup, Ldflda, number, Ldc_I4_6, Stind_I4, Ldfld, number, Ret); });
        Add("ldflda_null", I4, 3, m => { Some(m); m.Do(Ldflda, number, Pop, Ldc_I4_1, Ret); });
        Add("ldfld_static", I4, 3, m => { m.Do(Ldc_I4_8, Stsfld, count); Some(m); m.Do(Ldfld, count, Ret); });
        Add("stfld_static", I4, 3, m => { Some(m); m.Do(Ldc_I4_4, Stfld, count, Ldsfld, count, Ret); });
        Add("ldflda_static", I4, 3, m => { m.Do(Ldc_I4_3, Stsfld, count); Some(m); m.Do(Ldflda, count, Ldind_I4, Ret); });
        Add("ldfld_of_value", I8, [I8], m => { m.Local(pair); m.Do(Ldloca_S, 0, Ldarg_0, Stfld, second, Ldloc_0, Ldfld, second, Ret); }, Each(7L));
        Add("ldfld_of_address", I8, [I8], m => { m.Local(pair); m.Do(Ldloca_S, 0, Ldarg_0, Stfld, second, Ldloca_S, 0, Ldflda, second, Ldobj, I8, Ret); }, Each(7L));
        Add("structs_are_copied", I4, m => { m.Local(pair); m.Local(pair); m.Do(Ldloc_0, Stloc_1, Ldloca_S, 0, Ldc_I4_5, Stfld, first, Ldloc_1, Ldfld, first, Ret); });
        Add("static_i4", I4, [I4], m => m.Do(Ldarg_0, Stsfld, ofI4, Ldsfld, ofI4, Ret), Each(5, -1));
        Add("static_i8", I8, [I8], m => m.Do(Ldarg_0, Volatile, Stsfld, ofI8, Volatile, Ldsfld, ofI8, Ret), Each(5L));
        Add("static_r8", R8, [R8], m => m.Do(Ldarg_0, Stsfld, ofR8, Ldsflda, ofR8, Ldind_R8, Ret), Each(0.5, -0.0));
        Add("static_ref", I4, m => m.Do(Ldsflda, ofString, Ldstr, "ab", Stind_Ref, Ldsfld, ofString, Callvirt, Length, Ret));
    }

    static void Boxes()
    {
        Type maybe = typeof(int?);
        foreach (var (name, type, _, _, _, _, stack) in Stored)
        {
            Add($"box_{name}", stack, [stack], m => { m.Local(typeof(object)); m.Do(Ldarg_0, Box, type, Stloc_0, Ldloc_0, Unbox_Any, type, Ret); }, Each(Values(stack, type)));
            Add($"unbox_{name}", stack, [stack], m => m.Do(Ldarg_0, Box, type, Unbox, type, Ldobj, type, Ret), Each(Values(stack, type)));
        }
        Add("box_is_copy", I4, m => { m.Local(I4); m.Do(Ldloc_0, Box, I4, Ldc_I4_5, Stloc_0, Unbox_Any, I4, Ret); });
        Add("unbox_and_store", I4, m => m.Do(Ldc_I4_1, Box, I4, Dup, Unbox, I4, Ldc_I4_7, Stind_I4, Unbox_Any, I4, Ret));
        foreach (OpCode op in new[] { Unbox, Unbox_Any })
        {
            void Case(string name, Action<Maker> code, Type to) => Add($"{Of(op)}_{name}", I4, m => { code(m); m.Do(op, to, Pop, Ldc_I4_1, Ret); });
            Case("null_as_i4", m => m.Do(Ldnull), I4);
            Case("i4_as_i8", m => m.Do(Ldc_I4_1, Box, I4), I8);
            Case("i4_as_u4", m => m.Do(Ldc_I4_1, Box, I4), typeof(uint));
            Case("i4_as_enum", m => m.Do(Ldc_I4_1, Box, I4), typeof(DayOfWeek));
            Case("enum_as_i4", m => m.Do(Ldc_I4_1, Box, typeof(DayOfWeek)), I4);
            Case("enum_as_enum", m => m.Do(Ldc_I4_1, Box, typeof(DayOfWeek)), typeof(DayOfWeek));
            Case("string_as_i4", m => m.Do(Ldstr, "a"), I4);
            Case("null_as_nullable", m => m.Do(Ldnull), maybe);
            Case("i4_as_nullable", m => m.Do(Ldc_I4_1, Box, I4), maybe);
            Case("i8_as_nullable", m => m.Do(Ldc_I4_1, Conv_I8, Box, I8), maybe);
        }
        Add("unbox_any_string", I4, m => m.Do(Ldstr, "abc", Unbox_Any, typeof(string), Callvirt, Length, Ret));
        Add("unbox_any_null_string", I4, m => m.Do(Ldnull, Unbox_Any, typeof(string), Ldnull, Ceq, Ret));
        Add("unbox_any_other", I4, m => m.Do(Ldstr, "abc", Unbox_Any, typeof(int[]), Ldnull, Ceq, Ret));
        Add("box_string", I4, m => m.Do(Ldstr, "abc", Box, typeof(string), Ldnull, Ceq, Ret));
        Add("box_nullable", I4, 2, m => { m.Local(maybe); Label none = m.Label(); m.Do(Ldarg_0, Brfalse_S, none, Ldloca_S, 0, Ldarg_0,
            Call, maybe.GetConstructor([I4])); m.Mark(none); m.Do(Ldloc_0, Box, maybe, Isinst, I4, Ldnull, Cgt_Un, Ret); });
        Add("box_struct", I4, [I4], m => { m.Local(pair); m.Do(Ldloca_S, 0, Ldarg_0, Stfld, first, Ldloc_0, Box, pair, Unbox, pair, Ldfld, first, Ret); }, Each(8));
    }

    static void Casts()
    {
        // Objects, each with its code.
        (string Name, Action<Maker> Code)[] objects = [("null", m => m.Do(Ldnull)), ("string", m => m.Do(Ldstr, "a")), ("i4", m => m.Do(Ldc_I4_1, Box, I4)),
            ("enum", m => m.Do(Ldc_I4_1, Box, typeof(DayOfWeek))), ("parent", m => m.Do(Newobj, newParent)), ("child", m => m.Do(Newobj, newChild)),
            ("strings", m => m.Do(Ldc_I4_1, Newarr, typeof(string))), ("numbers", m => m.Do(Ldc_I4_1, Newarr, I4)),
            ("bytes", m => m.Do(Ldc_I4_1, Newarr, typeof(byte)))];
        (string Name, Func<Type> Type)[] types = [("object", () => typeof(object)), ("string", () => typeof(string)), ("i4", () => I4), ("nullable", () => typeof(int?)),
            ("IComparable", () => typeof(IComparable)), ("parent", () => parent), ("child", () => child), ("objects", () => typeof(object[])),
            ("strings", () => typeof(string[])), ("numbers", () => typeof(int[])), ("unsigned", () => typeof(uint[])), ("Array", () => typeof(Array)),
            ("ValueType", () => typeof(ValueType)), ("Enum", () => typeof(Enum)), ("list", () => typeof(IList<string>)), ("sequence", () => typeof(IEnumerable<object>))];
        foreach (var (of, type) in types)
            foreach (var (name, code) in objects)
            {
                Add($"isinst_{of}_{name}", I4, m => { code(m); m.Do(Isinst, type(), Ldnull, Cgt_Un, Ret); });
                if (of is not ("i4" or "nullable"))
                    Add($"castclass_{of}_{name}", I4, m => { code(m); m.Do(Castclass, type(), Ldnull, Ceq, Ret); });
            }
        foreach (var (name, type) in types)
            if (name is not "nullable")
                Add($"ldtoken_{name}", I4, m => m.Do(Ldtoken, type(), Call, TypeOfHandle, Ldtoken, typeof(string), Call, TypeOfHandle, Ceq, Ret));
        Add("ldtoken_method", I4, m => m.Do(Ldtoken, twice, Pop, Ldc_I4_1, Ret));
        Add("ldtoken_field", I4, m => m.Do(Ldtoken, number, Pop, Ldc_I4_1, Ret));
    }

    static void Arrays()
    {
        foreach (var (name, type, _, store, load, toArray, stack) in Stored)
        {
            object value = Values(stack, type)[^1];
            object[][] given = [[0, value], [2, value], [3, value], [-1, value]];
            void Case(string of, Action<Maker> code) => Add($"{of}_{name}", stack, [I4, stack], m => { m.Local(type.MakeArrayType());
                m.Do(Ldc_I4_3, Newarr, type, Stloc_0); code(m); m.Do(Ret); }, given);
            Case("elem", m => m.Do(Ldloc_0, Ldarg_0, Ldarg_1, toArray, Ldloc_0, Ldarg_0, load));
            Case("elem_typed", m => m.Do(Ldloc_0, Ldarg_0, Conv_I, Ldarg_1, Stelem, type, Ldloc_0, Ldarg_0, Conv_I, Ldelem, type));
            Case("elema", m => m.Do(Ldloc_0, Ldarg_0, Ldelema, type, Ldarg_1, store, Ldloc_0, Ldarg_0, Ldelem, type));
            Case("elema_readonly", m => m.Do(Ldloc_0, Ldarg_0, Readonly, Ldelema, type, Ldobj, type));
        }
        object[][] lengths = Each(0, 3, -1, int.MinValue).ToArray();
        Add("newarr", I4, [I4], m => m.Do(Ldarg_0, Newarr, I4, Ldlen, Conv_I4, Ret), lengths);
        Add("newarr_i", Native, [I4], m => m.Do(Ldarg_0, Conv_I, Newarr, typeof(string), Ldlen, Ret), lengths);
        Add("ldlen_null", I4, m => m.Do(Ldnull, Ldlen, Conv_I4, Ret));
        Add("ldelem_null", I4, m => m.Do(Ldnull, Ldc_I4_0, Ldelem_I4, Ret));
        Add("stelem_null", I4, m => m.Do(Ldnull, Ldc_I4_0, Ldc_I4_0, Stelem_I4, Ldc_I4_1, Ret));
        Add("ldelema_null", I4, m => m.Do(Ldnull, Ldc_I4_0, Ldelema, I4, Pop, Ldc_I4_1, Ret));
        // The same bytes with another sign.
        Add("ldelem_i1_of_bytes", I4, m => { m.Local(typeof(byte[])); m.Do(Ldc_I4_1, Newarr, typeof(byte), Stloc_0, Ldloc_0, Ldc_I4_0, Ldc_I4, 255, Stelem_I1,
            Ldloc_0, Ldc_I4_0, Ldelem_I1, Ret); });
        Add("ldelem_u2_of_shorts", I4, m => { m.Local(typeof(short[])); m.Do(Ldc_I4_1, Newarr, typeof(short), Stloc_0, Ldloc_0, Ldc_I4_0, Ldc_I4_M1, Stelem_I2,
            Ldloc_0, Ldc_I4_0, Ldelem_U2, Ret); });
        // Arrays of the first type as arrays of objects.
        foreach (var (name, type) in new (string, Type)[] { ("objects", typeof(object)), ("strings", typeof(string)) })
        {
            void Case(string of, Action<Maker> code) => Add($"{of}_{name}", I4, [I4], m => { m.Local(typeof(object[]));
                m.Do(Ldc_I4_2, Newarr, type, Stloc_0); code(m); }, Each(0, 1, 2, -1));
            Case("stelem_ref_string", m => m.Do(Ldloc_0, Ldarg_0, Ldstr, "a", Stelem_Ref, Ldloc_0, Ldarg_0, Ldelem_Ref, Ldnull, Ceq, Ret));
            Case("stelem_ref_null", m => m.Do(Ldloc_0, Ldarg_0, Ldnull, Stelem_Ref, Ldloc_0, Ldarg_0, Ldelem_Ref, Ldnull, Ceq, Ret));
            Case("stelem_ref_box", m => m.Do(Ldloc_0, Ldarg_0, Ldc_I4_1, Box, I4, Stelem_Ref, Ldloc_0, Ldarg_0, Ldelem, typeof(object), Ldnull, Ceq, Ret));
            Case("stelem_object_box", m => m.Do(Ldloc_0, Ldarg_0, Ldc_I4_1, Box, I4, Stelem, typeof(object), Ldc_I4_1, Ret));
            Case("ldelema_object", m => m.Do(Ldloc_0, Ldarg_0, Ldelema, typeof(object), Ldind_Ref, Ldnull, Ceq, Ret));
            Case("ldelema_readonly_object", m => m.Do(Ldloc_0, Ldarg_0, Readonly, Ldelema, typeof(object), Ldind_Ref, Ldnull, Ceq, Ret));
        }
        Add("elem_struct", I8, [I4], m => { m.Local(pair.MakeArrayType()); m.Do(Ldc_I4_2, Newarr, pair, Stloc_0, Ldloc_0, Ldarg_0, Ldelema, pair,
            Ldc_I8, 5L, Stfld, second, Ldloc_0, Ldarg_0, Ldelem, pair, Ldfld, second, Ret); }, Each(0, 1, 2));
        Add("stelem_struct", I8, [I4], m => { m.Local(pair.MakeArrayType()); m.Local(pair); m.Do(Ldc_I4_2, Newarr, pair, Stloc_0, Ldloca_S, 1,
            Ldc_I8, 5L, Stfld, second, Ldloc_0, Ldarg_0, Ldloc_1, Stelem, pair, Ldloc_0, Ldc_I4_0, Ldelem, pair, Ldfld, second, Ret); }, Each(0, 1, 2));
        Type matrix = typeof(int[,]);
        Add("matrix", I4, [I4, I4], m => { m.Local(matrix); m.Do(Ldc_I4_2, Ldc_I4_3, Newobj, matrix.GetConstructor([I4, I4]), Stloc_0,
            Ldloc_0, Ldarg_0, Ldarg_1, Ldc_I4_7, Call, matrix.GetMethod("Set"), Ldloc_0, Ldarg_0, Ldarg_1, Call, matrix.GetMethod("Get"),
            Ldloc_0, Ldarg_0, Ldarg_1, Call, matrix.GetMethod("Address"), Ldind_I4, OpCodes.Add, Ret); }, [[0, 0], [1, 2], [2, 0], [0, 3], [-1, 0]]);
    }

    static void Calls()
    {
        Add("call", I4, [I4], m => m.Do(Ldarg_0, Call, twice, Ret), Each(21));
        Add("call_virtual_method", I4, 3, m => { Some(m); m.Do(Call, get, Ret); });
        Add("callvirt", I4, 3, m => { Some(m); m.Do(Callvirt, get, Ret); });
        Add("call_plain", I4, 3, m => { Some(m); m.Do(Call, plain, Ret); });
        Add("callvirt_plain", I4, 3, m => { Some(m); m.Do(Callvirt, plain, Ret); });
        Add("tail", I4, [I4], m => m.Do(Ldarg_0, Tailcall, Call, down, Ret), Each(0, 5));
        Add("jmp", I4, [I4], m => m.Do(Jmp, twice), Each(21));
        Add("calli", I4, [I4], m => { m.Do(Ldarg_0, Ldftn, twice); m.Il.EmitCalli(Calli, CallingConventions.Standard, I4, [I4], null); m.Do(Ret); }, Each(21));
        Type function = typeof(Func<int, int>), supplier = typeof(Func<int>);
        Add("ldftn", I4, [I4], m => m.Do(Ldnull, Ldftn, twice, Newobj, function.GetConstructors()[0], Ldarg_0, Callvirt, function.GetMethod("Invoke"), Ret), Each(21));
        Add("ldftn_virtual", I4, 3, m => { Some(m); m.Do(Ldftn, get, Newobj, supplier.GetConstructors()[0], Callvirt, supplier.GetMethod("Invoke"), Ret); });
        Add("ldvirtftn", I4, 3, m => { Some(m); m.Do(Dup, Ldvirtftn, get, Newobj, supplier.GetConstructors()[0], Callvirt, supplier.GetMethod("Invoke"), Ret); });
        Add("ldvirtftn_pop", I4, 3, m => { Some(m); m.Do(Ldvirtftn, get, Pop, Ldc_I4_1, Ret); });
        MethodInfo compare = typeof(IComparable).GetMethod("CompareTo"), hash = typeof(object).GetMethod("GetHashCode"), equals = typeof(object).GetMethod("Equals", [typeof(object)]);
        Add("constrained_i4", I4, [I4], m => m.Do(Ldarga_S, 0, Constrained, I4, Callvirt, hash, Ret), Each(5, -1));
        Add("constrained_i4_interface", I4, [I4], m => m.Do(Ldarga_S, 0, Ldc_I4_5, Box, I4, Constrained, I4, Callvirt, compare, Ret), Each(4, 5, 6));
        Add("constrained_string", I4, m => { m.Local(typeof(string)); m.Do(Ldstr, "a", Stloc_0, Ldloca_S, 0, Ldstr, "a", Constrained, typeof(string), Callvirt, equals, Ret); });
        Add("constrained_null", I4, m => { m.Local(typeof(string)); m.Do(Ldloca_S, 0, Ldstr, "a", Constrained, typeof(string), Callvirt, equals, Ret); });
        Add("constrained_boxes", I4, 2, m => { m.Local(pair); m.Local(pair); m.Do(Ldloca_S, 0, Ldarg_0, Stfld, first, Ldloca_S, 0, Ldloc_1, Box, pair, Constrained, pair, Callvirt, equals, Ret); });
        Add("newobj_string", I4, [I4], m => m.Do(Ldc_I4_S, 65, Ldarg_0, Newobj, typeof(string).GetConstructor([typeof(char), I4]), Callvirt, Length, Ret), Each(0, 3, -1));
        Add("newobj_struct", I8, m => { m.Local(typeof(ValueTuple<int, long>)); m.Do(Ldc_I4_3, Ldc_I8, 4L, Newobj, typeof(ValueTuple<int, long>).GetConstructor([I4, I8]), Stloc_0,
            Ldloc_0, Ldfld, typeof(ValueTuple<int, long>).GetField("Item2"), Ret); });
        Add("newobj", I4, m => m.Do(Newobj, newChild, Newobj, newChild, Ceq, Ret));
        Add("call_of_pointer", I4, [I4], m => { m.Local(typeof(int?)); m.Do(Ldarg_0, Newobj, typeof(int?).GetConstructor([I4]), Stloc_0, Ldloca_S, 0,
            Call, typeof(int?).GetProperty("Value")!.GetMethod, Ret); }, Each(5));
    }

    static void Exceptions()
    {
        ConstructorInfo New<T>() => typeof(T).GetConstructor([]);
        // Throws nothing, an InvalidOperationException, an ArgumentNullException or null: which is argument 0.
        void Throws(Maker m)
        {
            Label done = m.Label(), one = m.Label(), two = m.Label(), three = m.Label();
            m.Do(Ldarg_0, OpCodes.Switch, new[] { done, one, two, three }, Br, done);
            m.Mark(one);
            m.Do(Newobj, New<InvalidOperationException>(), Throw);
            m.Mark(two);
            m.Do(Newobj, New<ArgumentNullException>(), Throw);
            m.Mark(three);
            m.Do(Ldnull, Throw);
            m.Mark(done);
        }
        void Append(Maker m, int digit) => m.Do(Ldloc_0, Ldc_I4_S, 10, Mul, Ldc_I4, digit, OpCodes.Add, Stloc_0);
        void Case(string name, Action<Maker> code) => Add(name, I4, 4, m => { m.Local(I4); code(m); m.Do(Ldloc_0, Ret); });
        Case("throw", Throws);
        Case("catch", m =>
        {
            m.Il.BeginExceptionBlock(); Throws(m); Append(m, 1);
            m.Il.BeginCatchBlock(typeof(ArgumentException)); m.Do(Pop); Append(m, 2);
            m.Il.EndExceptionBlock(); Append(m, 3);
        });
        Case("catch_null", m =>
        {
            m.Il.BeginExceptionBlock(); Throws(m);
            m.Il.BeginCatchBlock(typeof(NullReferenceException)); m.Do(Pop); Append(m, 2);
            m.Il.BeginCatchBlock(typeof(object)); m.Do(Pop); Append(m, 3);
            m.Il.EndExceptionBlock();
        });
        Case("finally", m =>
        {
            m.Il.BeginExceptionBlock(); m.Il.BeginExceptionBlock(); Throws(m); Append(m, 1);
            m.Il.BeginFinallyBlock(); Append(m, 2); m.Il.EndExceptionBlock(); Append(m, 3);
            m.Il.BeginCatchBlock(typeof(Exception)); m.Do(Pop); Append(m, 4); m.Il.EndExceptionBlock();
        });
        Case("fault", m =>
        {
            m.Il.BeginExceptionBlock(); m.Il.BeginExceptionBlock(); Throws(m); Append(m, 1);
            m.Il.BeginFaultBlock(); Append(m, 2); m.Il.EndExceptionBlock(); Append(m, 3);
            m.Il.BeginCatchBlock(typeof(Exception)); m.Do(Pop); Append(m, 4); m.Il.EndExceptionBlock();
        });
        Case("filter", m =>
        {
            m.Il.BeginExceptionBlock(); m.Il.BeginExceptionBlock(); Throws(m); Append(m, 1);
            m.Il.BeginExceptFilterBlock(); m.Do(Isinst, typeof(ArgumentException), Ldnull, Cgt_Un);
            m.Il.BeginCatchBlock(null); m.Do(Pop); Append(m, 2); m.Il.EndExceptionBlock(); Append(m, 3);
            m.Il.BeginCatchBlock(typeof(Exception)); m.Do(Pop); Append(m, 4); m.Il.EndExceptionBlock();
        });
        Case("filter_that_throws", m =>
        {
            m.Il.BeginExceptionBlock(); m.Il.BeginExceptionBlock(); Throws(m); Append(m, 1);
            m.Il.BeginExceptFilterBlock(); m.Do(Castclass, typeof(ArgumentException), Pop, Ldc_I4_1);
            m.Il.BeginCatchBlock(null); m.Do(Pop); Append(m, 2); m.Il.EndExceptionBlock();
            m.Il.BeginCatchBlock(typeof(Exception)); m.Do(Pop); Append(m, 4); m.Il.EndExceptionBlock();
        });
        Case("rethrow", m =>
        {
            m.Il.BeginExceptionBlock(); m.Il.BeginExceptionBlock(); Throws(m); Append(m, 1);
            m.Il.BeginCatchBlock(typeof(Exception)); m.Do(Pop); Append(m, 2); m.Do(Rethrow); m.Il.EndExceptionBlock();
            m.Il.BeginCatchBlock(typeof(ArgumentException)); m.Do(Pop); Append(m, 4); m.Il.EndExceptionBlock();
        });
        Case("rethrow_after_another", m =>
        {
            m.Il.BeginExceptionBlock(); Throws(m);
            m.Il.BeginCatchBlock(typeof(Exception)); m.Do(Pop);
            m.Il.BeginExceptionBlock(); m.Do(Newobj, New<FormatException>(), Throw);
            m.Il.BeginCatchBlock(typeof(FormatException)); m.Do(Pop); Append(m, 5); m.Il.EndExceptionBlock();
            m.Do(Rethrow); m.Il.EndExceptionBlock();
        });
        Case("finally_replaces", m =>
        {
            m.Il.BeginExceptionBlock(); Throws(m); Append(m, 1);
            m.Il.BeginFinallyBlock(); m.Do(Newobj, New<FormatException>(), Throw); m.Il.EndExceptionBlock();
        });
        foreach (OpCode op in new[] { Leave, Leave_S })
            Case($"{Of(op)}_two_finally", m =>
            {
                Label outside = m.Label();
                m.Il.BeginExceptionBlock(); m.Il.BeginExceptionBlock(); m.Do(Ldarg_0, Ldarg_0, Ldarg_0, op, outside);
                m.Il.BeginFinallyBlock(); Append(m, 1); m.Il.EndExceptionBlock(); Append(m, 2);
                m.Il.BeginFinallyBlock(); Append(m, 3); m.Il.EndExceptionBlock(); Append(m, 4);
                m.Mark(outside); Append(m, 5);
            });
        Case("leave_from_catch", m =>
        {
            Label outside = m.Label();
            m.Il.BeginExceptionBlock(); Throws(m);
            m.Il.BeginCatchBlock(typeof(Exception)); m.Do(Pop, Leave, outside);
            m.Il.EndExceptionBlock(); Append(m, 1);
            m.Mark(outside); Append(m, 2);
        });
        Case("loop_through_finally", m =>
        {
            Label again = m.Label();
            m.Mark(again);
            m.Il.BeginExceptionBlock(); Append(m, 1);
            m.Il.BeginFinallyBlock(); m.Do(Ldarg_0, Ldc_I4_1, Sub, Starg_S, 0); m.Il.EndExceptionBlock();
            m.Do(Ldarg_0, Ldc_I4_0, Bgt, again);
        });
        // Any object can be thrown; the runtime wraps it.
        Add("throw_string", I4, m => m.Do(Ldstr, "a", Throw));
    }
}
