// Makes Instructions.dll, which has a method for each instruction of CIL and each type of operands, and results.txt, which
// says what the methods return on this .NET. The class Questions asserts some of these results, and the opposite.

using System;
using System.Collections.Generic;
using Debug = System.Diagnostics.Debug;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using static System.Reflection.Emit.OpCodes;

/// A method with its code, and what it returned or threw for lists of arguments.
sealed record Case(string Name, Type Result, Type[] Parameters, Action<Maker> Code, object[][] Arguments)
{
    public object[] Results;
}

/// Writes the code of a method.
sealed class Maker(ILGenerator il, TypeBuilder type)
{
    public readonly ILGenerator Il = il;
    public readonly TypeBuilder Type = type;

    public Maker Do(params object[] code)
    {
        for (int at = 0; at < code.Length; at++)
        {
            var op = (OpCode)code[at];
            object operand = op.OperandType == OperandType.InlineNone ? null : code[++at];
            switch (operand)
            {
                case null: Il.Emit(op); break;
                case int number when op.OperandType is OperandType.ShortInlineI or OperandType.ShortInlineVar:
                    Il.Emit(op, (byte)number); break;
                case int number when op.OperandType == OperandType.InlineVar: Il.Emit(op, (short)number); break;
                case int number: Il.Emit(op, number); break;
                case long number: Il.Emit(op, number); break;
                case float number: Il.Emit(op, number); break;
                case double number: Il.Emit(op, number); break;
                case string text: Il.Emit(op, text); break;
                case Type of: Il.Emit(op, of); break;
                case MethodInfo method: Il.Emit(op, method); break;
                case ConstructorInfo constructor: Il.Emit(op, constructor); break;
                case FieldInfo field: Il.Emit(op, field); break;
                case Label label: Il.Emit(op, label); break;
                case Label[] labels: Il.Emit(op, labels); break;
                case LocalBuilder local: Il.Emit(op, local); break;
                default: throw new NotSupportedException($"{op} {operand.GetType()}");
            }
        }
        return this;
    }

    public LocalBuilder Local(Type type) => Il.DeclareLocal(type);
    public Label Label() => Il.DefineLabel();
    public void Mark(Label label) => Il.MarkLabel(label);

    /// Loads all arguments.
    public Maker Load(int count)
    {
        for (int index = 0; index < count; index++) Do(Ldarg_S, index);
        return this;
    }

    /// Returns 1 if a jump to the label is taken, otherwise 0.
    public void Taken(Action<Label> jump)
    {
        Label taken = Label();
        jump(taken);
        Do(Ldc_I4_0, Ret);
        Mark(taken);
        Do(Ldc_I4_1, Ret);
    }
}

static partial class Generator
{
    static readonly List<Case> Cases = [];
    static readonly Type I4 = typeof(int), I8 = typeof(long), R4 = typeof(float), R8 = typeof(double), Native = typeof(nint);

    static readonly Dictionary<Type, object[]> Operands = new()
    {
        [I4] = [0, 1, -1, 7, -100, int.MaxValue, int.MinValue],
        [I8] = [0L, 1L, -1L, 10L, 1L << 32, long.MaxValue, long.MinValue],
        [Native] = [(nint)0, (nint)(-1), (nint)7, nint.MaxValue, nint.MinValue],
        [R4] = [0f, -0f, 1.5f, -2.25f, 3e38f, float.NaN, float.PositiveInfinity],
        [R8] = [0.0, -0.0, 1.5, -2.25, 1e300, double.NaN, double.NegativeInfinity],
    };

    /// What is converted.
    static readonly Dictionary<Type, object[]> Converted = new()
    {
        [I4] = [0, 1, -1, 127, 128, -128, -129, 255, 256, 32767, 32768, -32768, -32769, 65535, 65536, int.MaxValue, int.MinValue],
        [I8] = [0L, 1L, -1L, 127L, 128L, -129L, 255L, 256L, 32768L, -32769L, 65536L, 2147483647L, 2147483648L, -2147483649L,
            4294967295L, 4294967296L, (1L << 53) + 1, (1L << 62) + (1L << 38) + 1, long.MaxValue, long.MinValue],
        [Native] = [(nint)0, (nint)(-1), (nint)255, (nint)(-32769), unchecked((nint)2147483648L), unchecked((nint)4294967295L), nint.MaxValue, nint.MinValue],
        [R4] = [0f, -0f, 0.9f, -0.9f, -1f, 127.9f, 128f, -128.9f, -129f, 255.5f, 256f, 65535.5f, 65536f, 2147483520f, 2147483648f,
            -2147483648f, 4294967040f, 4294967296f, 9.223371e18f, 9.223372e18f, -9.223372e18f, 1.8446743e19f, 1.8446744e19f, 3e38f,
            float.NaN, float.PositiveInfinity, float.NegativeInfinity],
        [R8] = [0.0, -0.0, 0.9, -0.9, -1.0, 127.9, 128.0, -128.9, -129.0, 255.5, 256.0, 32767.9, 32768.0, -32768.9, -32769.0, 65535.9,
            65536.0, 2147483647.9, 2147483648.0, -2147483648.9, -2147483649.0, 4294967295.9, 4294967296.0, 9.2233720368547748e18,
            9.2233720368547758e18, -9.2233720368547758e18, -9.223372036854778e18, 1.8446744073709550e19, 1.8446744073709552e19, 1e300,
            0.1, 16777217.0, double.NaN, double.PositiveInfinity, double.NegativeInfinity],
    };

    static string Of(Type type) => type == I4 ? "i4" : type == I8 ? "i8" : type == R4 ? "r4" : type == R8 ? "r8" : "i";
    static string Of(OpCode op) => op.Name!.Replace('.', '_');

    static void Add(string name, Type result, Type[] parameters, Action<Maker> code, IEnumerable<object[]> arguments) =>
        Cases.Add(new Case(name, result, parameters, code, arguments.ToArray()));

    /// A case without parameters.
    static void Add(string name, Type result, Action<Maker> code) => Add(name, result, [], code, [[]]);

    /// A case with a number for each thing that it can do.
    static void Add(string name, Type result, int count, Action<Maker> code) =>
        Add(name, result, [I4], code, Enumerable.Range(0, count).Select(n => new object[] { n }));

    static void Unary(OpCode op, Type of, Type result, Dictionary<Type, object[]> operands) =>
        Add($"{Of(op)}_{Of(of)}", result, [of], m => m.Do(Ldarg_0, op, Ret), operands[of].Select(a => new[] { a }));

    static IEnumerable<object[]> Pairs(Type left, Type right) =>
        from a in Operands[left] from b in Operands[right] select new[] { a, b };

    static void Binary(OpCode op, Type left, Type right, Type result) =>
        Add($"{Of(op)}_{Of(left)}_{Of(right)}", result, [left, right], m => m.Do(Ldarg_0, Ldarg_1, op, Ret), Pairs(left, right));

    static void Numbers()
    {
        Type[] integers = [I4, I8, Native], floats = [R4, R8], all = [.. integers, .. floats];
        OpCode[] arithmetic = [OpCodes.Add, Sub, Mul, Div, Rem];
        OpCode[] ofIntegers = [Div_Un, Rem_Un, And, Or, Xor, Add_Ovf, Add_Ovf_Un, Sub_Ovf, Sub_Ovf_Un, Mul_Ovf, Mul_Ovf_Un];
        foreach (OpCode op in arithmetic.Concat(ofIntegers))
        {
            foreach (Type type in integers) Binary(op, type, type, type);
            Binary(op, I4, Native, Native);
            Binary(op, Native, I4, Native);
        }
        foreach (OpCode op in arithmetic)
            foreach (Type left in floats)
                foreach (Type right in floats) Binary(op, left, right, left == R4 && right == R4 ? R4 : R8);
        foreach (OpCode op in new[] { Shl, Shr, Shr_Un })
            foreach (Type type in integers)
                foreach (Type distance in new[] { I4, Native })
                {
                    object[] distances = distance == I4 ? [0, 1, 31] : [(nint)0, (nint)5];
                    if (distance == I4 && type != I4) distances = [.. distances, 32, 63];
                    Add($"{Of(op)}_{Of(type)}_{Of(distance)}", type, [type, distance], m => m.Do(Ldarg_0, Ldarg_1, op, Ret),
                        from a in Operands[type] from b in distances select new[] { a, b });
                }
        foreach (Type type in integers) Unary(Not, type, type, Operands);
        foreach (Type type in all) Unary(Neg, type, type, Operands);
        foreach (OpCode op in new[] { Ceq, Cgt, Cgt_Un, Clt, Clt_Un })
        {
            foreach (Type type in all) Binary(op, type, type, I4);
            Binary(op, I4, Native, I4);
            Binary(op, R4, R8, I4);
        }
        foreach (Type type in floats) Unary(Ckfinite, type, type, Operands);
    }

    static void Jumps()
    {
        Type[] all = [I4, I8, Native, R4, R8];
        (OpCode Short, OpCode Long)[] compared = [(Beq_S, Beq), (Bge_S, Bge), (Bgt_S, Bgt), (Ble_S, Ble), (Blt_S, Blt),
            (Bne_Un_S, Bne_Un), (Bge_Un_S, Bge_Un), (Bgt_Un_S, Bgt_Un), (Ble_Un_S, Ble_Un), (Blt_Un_S, Blt_Un)];
        foreach (var (brief, full) in compared)
            foreach (Type type in all)
            {
                void Case(OpCode op) => Add($"{Of(op)}_{Of(type)}", I4, [type, type],
                    m => m.Taken(to => m.Do(Ldarg_0, Ldarg_1, op, to)), Pairs(type, type));
                Case(brief);
                if (type == I4 || type == R8) Case(full);
            }
        foreach (OpCode op in new[] { Brtrue_S, Brtrue, Brfalse_S, Brfalse })
            foreach (Type type in new[] { I4, I8, Native })
                Add($"{Of(op)}_{Of(type)}", I4, [type], m => m.Taken(to => m.Do(Ldarg_0, op, to)), Operands[type].Select(a => new[] { a }));
        foreach (OpCode op in new[] { Br_S, Br }) Add($"{Of(op)}", I4, m => m.Taken(to => m.Do(op, to)));
        // A loop back: the sum of the numbers up to the argument.
        Add("br_back", I4, [I4], m =>
        {
            LocalBuilder sum = m.Local(I4);
            Label test = m.Label(), body = m.Label();
            m.Do(Br_S, test);
            m.Mark(body);
            m.Do(Ldloc_0, Ldarg_0, OpCodes.Add, Stloc_0, Ldarg_0, Ldc_I4_1, Sub, Starg_S, 0);
            m.Mark(test);
            m.Do(Ldarg_0, Ldc_I4_0, Bgt, body, Ldloc_0, Ret);
        }, [[0], [4]]);
        Add("switch", I4, [I4], m =>
        {
            Label[] labels = [m.Label(), m.Label(), m.Label()];
            m.Do(Ldarg_0, OpCodes.Switch, labels, Ldc_I4_M1, Ret);
            for (int index = 0; index < labels.Length; index++)
            {
                m.Mark(labels[index]);
                m.Do(Ldc_I4, index + 10, Ret);
            }
        }, [[0], [1], [2], [3], [-1], [int.MinValue], [int.MaxValue]]);
        // A comparison and a number on the stack at the same place, in both orders.
        foreach (bool reversed in new[] { false, true })
            Add(reversed ? "number_or_comparison" : "comparison_or_number", I4, [I4], m =>
            {
                Label other = m.Label(), join = m.Label();
                m.Do(Ldarg_0, Ldc_I4_7, reversed ? Bgt : Ble, other);
                if (reversed) m.Do(Ldc_I4_7); else m.Do(Ldarg_0, Ldc_I4_8, Ceq);
                m.Do(Br, join);
                m.Mark(other);
                if (reversed) m.Do(Ldarg_0, Ldc_I4_8, Ceq); else m.Do(Ldc_I4_7);
                m.Mark(join);
                m.Do(Ret);
            }, [[5], [8], [9]]);
        // Values stay on the stack over a jump.
        Add("stack_at_join", I4, [I4], m =>
        {
            Label other = m.Label(), join = m.Label();
            m.Do(Ldc_I4_7, Ldarg_0, Brfalse_S, other, Ldc_I4_1, Br_S, join);
            m.Mark(other);
            m.Do(Ldc_I4_2);
            m.Mark(join);
            m.Do(Sub, Ret);
        }, [[0], [1]]);
    }

    static void Conversions()
    {
        (OpCode Op, Type Result)[] all = [
            (Conv_I1, I4), (Conv_U1, I4), (Conv_I2, I4), (Conv_U2, I4), (Conv_I4, I4), (Conv_U4, I4), (Conv_I8, I8), (Conv_U8, I8),
            (Conv_I, Native), (Conv_U, Native), (Conv_R4, R4), (Conv_R8, R8), (Conv_R_Un, R8),
            (Conv_Ovf_I1, I4), (Conv_Ovf_U1, I4), (Conv_Ovf_I2, I4), (Conv_Ovf_U2, I4), (Conv_Ovf_I4, I4), (Conv_Ovf_U4, I4),
            (Conv_Ovf_I8, I8), (Conv_Ovf_U8, I8), (Conv_Ovf_I, Native), (Conv_Ovf_U, Native),
            (Conv_Ovf_I1_Un, I4), (Conv_Ovf_U1_Un, I4), (Conv_Ovf_I2_Un, I4), (Conv_Ovf_U2_Un, I4), (Conv_Ovf_I4_Un, I4),
            (Conv_Ovf_U4_Un, I4), (Conv_Ovf_I8_Un, I8), (Conv_Ovf_U8_Un, I8), (Conv_Ovf_I_Un, Native), (Conv_Ovf_U_Un, Native)];
        foreach (var (op, result) in all)
            foreach (Type of in new[] { I4, I8, Native, R4, R8 })
                if (op != Conv_R_Un || of != R4 && of != R8) Unary(op, of, result, Converted);
        foreach (Type of in new[] { I4, I8, Native })
            Add($"conv_r_un_conv_r4_{Of(of)}", R4, [of], m => m.Do(Ldarg_0, Conv_R_Un, Conv_R4, Ret), Converted[of].Select(a => new[] { a }));
        Add("conv_r_un_conv_r8_conv_r4_i8", R4, [I8], m => m.Do(Ldarg_0, Conv_R_Un, Conv_R8, Conv_R4, Ret), Converted[I8].Select(a => new[] { a }));
        Add("conv_r8_conv_r4_i8", R4, [I8], m => m.Do(Ldarg_0, Conv_R8, Conv_R4, Ret), Converted[I8].Select(a => new[] { a }));
    }
}

static partial class Generator
{
    /// What a method returned, or the type of the exception that it threw.
    static object Run(MethodInfo method, object[] arguments)
    {
        try { return method.Invoke(null, arguments); }
        catch (TargetInvocationException wrapped) { return wrapped.InnerException!.GetType(); }
    }

    static string Show(object value) => value switch
    {
        float number => number.ToString("R", CultureInfo.InvariantCulture),
        double number => number.ToString("R", CultureInfo.InvariantCulture),
        Type exception => exception.Name,
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    static string Show(object[] values) => string.Join(' ', values.Select(Show));

    static byte[] Make()
    {
        var assembly = new PersistedAssemblyBuilder(new AssemblyName("Instructions"), typeof(object).Assembly);
        ModuleBuilder module = assembly.DefineDynamicModule("Instructions.dll");
        TypeBuilder cases = module.DefineType("Cases", TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Sealed);
        TypeBuilder questions = module.DefineType("Questions", TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Sealed);
        Members(module, cases);
        foreach (Case one in Cases)
        {
            MethodBuilder method = cases.DefineMethod(one.Name, MethodAttributes.Public | MethodAttributes.Static, one.Result, one.Parameters);
            one.Code(new Maker(method.GetILGenerator(), cases));
            if (one.Results == null) continue;
            Ask(questions, one, method, true);
            if (one.Parameters.Length > 0) Ask(questions, one, method, false);
        }
        cases.CreateType();
        questions.CreateType();
        var stream = new MemoryStream();
        assembly.Save(stream);
        return stream.ToArray();
    }

    static void Constant(Maker m, object value)
    {
        if (value is int i4) m.Do(Ldc_I4, i4);
        if (value is long i8) m.Do(Ldc_I8, i8);
        if (value is nint native) m.Do(Ldc_I8, (long)native, Conv_I);
        if (value is float r4) m.Do(Ldc_R4, r4);
        if (value is double r8) m.Do(Ldc_R8, r8);
    }

    /// Pushes whether a value is that of a constant: NaN is NaN, and the zeros are different.
    static void Same(Maker m, Action load, object value)
    {
        load();
        if (value is float.NaN or double.NaN)
        {
            load();
            m.Do(Ceq, Ldc_I4_0, Ceq);
            return;
        }
        Constant(m, value);
        m.Do(Ceq);
        if (value is not (0f or 0.0)) return;
        Constant(m, value is float ? 1f : 1.0);
        load();
        m.Do(Div);
        Constant(m, value is float ? 0f : 0.0);
        bool negative = value is float r4 ? float.IsNegative(r4) : double.IsNegative((double)value);
        m.Do(negative ? Clt : Cgt, And);
    }

    /// A method that asserts some results of a case, or the opposite of one of them: for integers as any arguments, and
    /// otherwise for the number of the row, because solvers are slow with floats.
    static void Ask(TypeBuilder questions, Case one, MethodInfo method, bool holds)
    {
        bool isAny = one.Parameters.Append(one.Result).All(type => type == I4 || type == I8 || type == Native);
        string name = (holds ? "holds_" : "fails_") + one.Name;
        MethodBuilder question = questions.DefineMethod(name, MethodAttributes.Public | MethodAttributes.Static, typeof(void), isAny ? one.Parameters : [I4]);
        var m = new Maker(question.GetILGenerator(), questions);
        LocalBuilder result = m.Local(one.Result), same = m.Local(typeof(bool));
        int step = holds ? Math.Max(1, one.Arguments.Length / 3) : one.Arguments.Length;
        for (int row = holds ? 0 : one.Arguments.Length / 2; row < one.Arguments.Length; row += step)
        {
            Label other = m.Label();
            object[] arguments = one.Arguments[row];
            Action load = () => m.Load(arguments.Length);
            if (!isAny)
            {
                m.Do(Ldarg_0, Ldc_I4, row, Bne_Un, other);
                load = () => Array.ForEach(arguments, argument => Constant(m, argument));
            }
            for (int index = 0; isAny && index < arguments.Length; index++)
            {
                int argument = index;
                Same(m, () => m.Do(Ldarg_S, argument), arguments[index]);
                m.Do(Brfalse, other);
            }
            if (one.Results[row] is Type exception)
            {
                m.Do(Ldc_I4_0, Stloc, same);
                m.Il.BeginExceptionBlock();
                load();
                m.Do(Call, method, Pop);
                m.Il.BeginCatchBlock(exception);
                m.Do(Pop, Ldc_I4_1, Stloc, same);
                m.Il.EndExceptionBlock();
            }
            else
            {
                load();
                m.Do(Call, method, Stloc, result);
                Same(m, () => m.Do(Ldloc, result), one.Results[row]);
                m.Do(Stloc, same);
            }
            m.Do(Ldloc, same);
            if (!holds) m.Do(Ldc_I4_0, Ceq);
            m.Do(Call, typeof(Debug).GetMethod("Assert", [typeof(bool)]));
            m.Mark(other);
        }
        m.Do(Ret);
    }

    static void Main(string[] folder)
    {
        Numbers();
        Jumps();
        Conversions();
        Objects();
        Type cases = Assembly.Load(Make()).GetType("Cases");
        foreach (Case one in Cases)
            one.Results = one.Arguments.Select(arguments => Run(cases.GetMethod(one.Name), arguments)).ToArray();
        using var table = new StreamWriter(Path.Combine(folder[0], "results.txt")) { NewLine = "\n" };
        foreach (var same in Cases.GroupBy(one => string.Join(", ", one.Arguments.Select(Show))))
        {
            table.WriteLine($"arguments {same.Key}".TrimEnd());
            foreach (Case one in same) table.WriteLine($"{one.Name} {Show(one.Results)}");
        }
        File.WriteAllBytes(Path.Combine(folder[0], "Instructions.dll"), Make());
    }
}
