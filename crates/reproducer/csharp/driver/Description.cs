using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Reflection;

/// <summary>Makes the objects of a description, and calls its method.</summary>
/// <remarks>A description has one instruction in each line, with its parts between tabs. `csharp/description.rs` of the
/// reproducer writes it.</remarks>
sealed class Description
{
    readonly List<Type> types = new List<Type>();
    readonly Dictionary<int, object> objects = new Dictionary<int, object>();
    readonly List<object> arguments = new List<object>();
    readonly List<int> variables = new List<int>();
    MethodBase method;
    string[] parts;
    int next;

    public Action Read(string path)
    {
        foreach (string line in File.ReadAllLines(path))
        {
            parts = line.Split('\t');
            next = 1;
            Follow(parts[0]);
        }
        return () => Helpers.Call(method, arguments.ToArray(), variables.ToArray());
    }

    void Follow(string instruction)
    {
        switch (instruction)
        {
            case "type":
                types.Add(Type.GetType(Text(), true));
                break;
            case "object":
            {
                int number = Number();
                objects[number] = Helpers.Make(Known());
                break;
            }
            case "string":
            {
                int number = Number();
                string units = Text();
                char[] text = new char[units.Length / 4];
                for (int i = 0; i < text.Length; i++)
                {
                    text[i] = (char)int.Parse(units.Substring(4 * i, 4), NumberStyles.HexNumber);
                }
                objects[number] = new string(text);
                break;
            }
            case "array":
            {
                int number = Number();
                Type element = Known();
                int[] lengths = new int[Number()];
                for (int i = 0; i < lengths.Length; i++)
                {
                    lengths[i] = Number();
                }
                objects[number] = Array.CreateInstance(element, lengths);
                break;
            }
            case "box":
            {
                int number = Number();
                objects[number] = Value();
                break;
            }
            case "held":
            {
                int number = Number();
                Type type = Known();
                objects[number] = Helpers.Held(type, Text());
                break;
            }
            case "field":
            {
                object target = objects[Number()];
                Type type = Known();
                string name = Text();
                Helpers.Set(type, target, name, Value());
                break;
            }
            case "element":
            {
                Array array = (Array)objects[Number()];
                int[] at = new int[array.Rank];
                for (int i = 0; i < at.Length; i++)
                {
                    at[i] = Number();
                }
                array.SetValue(Value(), at);
                break;
            }
            case "fill":
            {
                Array array = (Array)objects[Number()];
                Helpers.Fill(array, Value());
                break;
            }
            case "method":
            {
                Type type = Known();
                string name = Text();
                Type[] own = Types(), parameters = Types();
                method = Helpers.Method(type, name, own, parameters);
                break;
            }
            case "argument":
                variables.Add(Number());
                arguments.Add(Value());
                break;
            case "span":
            {
                variables.Add(-1);
                object array = Value();
                int start = Number();
                arguments.Add(new object[] { array, start, Number() });
                break;
            }
            default:
                throw new FormatException(instruction);
        }
    }

    string Text() => parts[next++];

    int Number() => int.Parse(Text(), CultureInfo.InvariantCulture);

    Type Known() => types[Number()];

    Type[] Types()
    {
        Type[] found = new Type[Number()];
        for (int i = 0; i < found.Length; i++)
        {
            found[i] = Known();
        }
        return found;
    }

    object Value()
    {
        switch (Text())
        {
            case "null":
                return null;
            case "reference":
                return objects[Number()];
            case "single":
                return BitConverter.ToSingle(BitConverter.GetBytes(uint.Parse(Text(), CultureInfo.InvariantCulture)), 0);
            case "double":
                return BitConverter.Int64BitsToDouble((long)ulong.Parse(Text(), CultureInfo.InvariantCulture));
            case "bool":
                return Number() != 0;
            case "char":
                return (char)Number();
            case "native":
                return Parsed(Known(), Text());
            case "integer":
                return Parsed(Known(), Text());
            case "enum":
            {
                Type type = Known();
                return Enum.ToObject(type, Parsed(Enum.GetUnderlyingType(type), Text()));
            }
            case "struct":
            {
                Type type = Known();
                object made = Helpers.Make(type);
                for (int left = Number(); left > 0; left--)
                {
                    string name = Text();
                    Helpers.Set(type, made, name, Value());
                }
                return made;
            }
            default:
                throw new FormatException(parts[next - 1]);
        }
    }

    static object Parsed(Type type, string text)
    {
        if (type == typeof(IntPtr))
        {
            return new IntPtr(long.Parse(text, CultureInfo.InvariantCulture));
        }
        if (type == typeof(UIntPtr))
        {
            return new UIntPtr(ulong.Parse(text, CultureInfo.InvariantCulture));
        }
        if (type == typeof(char))
        {
            return (char)int.Parse(text, CultureInfo.InvariantCulture);
        }
        if (type == typeof(bool))
        {
            return text != "0";
        }
        return Convert.ChangeType(text, type, CultureInfo.InvariantCulture);
    }
}
