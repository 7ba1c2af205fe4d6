using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Text;

/// Runs classes of this assembly. The arguments are a file with their names and one for the results.
///
/// A result is a line `=NAME`, lines that begin with a blank, and a line with the exception that ended the run, or with `.`.
static class Runner
{
    private sealed class Failures : TraceListener
    {
        public long failed;

        public override void Fail(string message) => Fail(message, null);

        public override void Fail(string message, string detail) => failed |= 1L << int.Parse(message);

        public override void Write(string message)
        {
        }

        public override void WriteLine(string message)
        {
        }
    }

    static readonly Failures failures = new Failures();
    static int runs;

    /// Runs a task with one input.
    public static void Try(Action action)
    {
        runs++;
        try
        {
            action();
        }
        catch (Exception e) when (e is not Log.OutOfFuel)
        {
        }
    }

    static void Main(string[] arguments)
    {
        Trace.Listeners.Clear();
        Trace.Listeners.Add(failures);
        using var output = new StreamWriter(arguments[1]);
        foreach (string name in File.ReadAllLines(arguments[0]))
        {
            Log.length = 0;
            Log.reached = failures.failed = runs = 0;
            output.Write("=" + name + "\n");
            string end = ".";
            try
            {
                MethodInfo main = Type.GetType(name).GetMethod("Main", BindingFlags.Static | BindingFlags.Public);
                main.CreateDelegate<Action>()();
            }
            catch (Exception e)
            {
                end = e.GetType().FullName;
            }
            string[] lines = new string(Log.text, 0, Log.length).Split('\n');
            for (int i = 0; i < lines.Length - 1; i++)
            {
                output.Write(" " + lines[i] + "\n");
            }
            if (runs > 0)
            {
                output.Write(" " + failures.failed + " " + Log.reached + " " + runs + "\n");
            }
            output.Write(end + "\n");
            output.Flush();
        }
    }
}
