using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Aback;

/// <summary>What drivers need to know of the runtime and to ask of it.</summary>
static class Runtime
{
    /// <summary>Stack of the program. The model has no limit, and unused pages take no memory.</summary>
    public const int Stack = 512 << 20;

    /// <summary>Finds an assembly in these folders, or among these files.</summary>
    public static Assembly Resolve(string[] places, string name)
    {
        foreach (string place in places)
        {
            string file = Directory.Exists(place) ? Path.Combine(place, name + ".dll") : place;
            if (Path.GetFileNameWithoutExtension(file) == name && File.Exists(file))
            {
                return Assembly.LoadFrom(file);
            }
        }
        return null;
    }

    /// <summary>Ends the process. No code of the program runs anymore, as it would with Environment.Exit.</summary>
    [DllImport("libc", EntryPoint = "_exit")]
    public static extern void Exit(int status);

    /// <summary>The number of a method in its assembly; methods that were made at run time have none.</summary>
    public static int Token(MethodBase method)
    {
        return method.DeclaringType == null ? 0 : method.MetadataToken;
    }

    /// <summary>A line for a frame of a stack trace, with the file and the line of the source; null for a frame without a
    /// method.</summary>
    public static string Describe(StackFrame frame, out string name, out string line)
    {
        MethodBase method = frame.GetMethod();
        name = Path.GetFileName((frame.GetFileName() ?? "").Replace('\\', '/'));
        line = frame.GetFileLineNumber().ToString();
        if (method == null)
        {
            return null;
        }
        string type = method.DeclaringType == null ? "" : method.DeclaringType.FullName;
        return "at\t" + method.Module.Assembly.GetName().Name + "\t" + type + "\t" + method.Name
            + "\t" + line + "\t" + name + "\t" + Token(method) + "\t" + frame.GetILOffset();
    }
}
