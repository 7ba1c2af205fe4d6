using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;

namespace Aback;

/// <summary>Runs tests in their order and then in the opposite order, and reports in a file how each of them ended.</summary>
/// <remarks>It is compiled together with the tests. Arguments: the file of the report; the number of tests; a class and a method
/// for each; then folders and assemblies of the program.</remarks>
static class TestDriver
{
    /// <summary>Most frames of a stack trace that are reported.</summary>
    const int Frames = 200;

    static int Main(string[] arguments)
    {
        int count = int.Parse(arguments[1]);
        string[] places = new string[arguments.Length - 2 - 2 * count];
        Array.Copy(arguments, 2 + 2 * count, places, 0, places.Length);
        AppDomain.CurrentDomain.AssemblyResolve += (sender, wanted) => Runtime.Resolve(places, new AssemblyName(wanted.Name).Name);
        Trace.Listeners.Clear();
        Trace.Listeners.Add(new AssertionListener());
        StreamWriter report = new StreamWriter(arguments[0]) { AutoFlush = true };
        report.WriteLine(RuntimeInformation.FrameworkDescription);
        Thread thread = new Thread(() =>
        {
            for (int i = 0; i < count; i++)
            {
                Run(report, i, arguments[2 + 2 * i], arguments[3 + 2 * i]);
            }
            for (int i = count - 1; i >= 0; i--)
            {
                Run(report, i, arguments[2 + 2 * i], arguments[3 + 2 * i]);
            }
            // Do not wait for threads that the program has left running.
            Runtime.Exit(0);
        }, Runtime.Stack);
        thread.Start();
        thread.Join();
        return 0;
    }

    static void Run(StreamWriter report, int number, string type, string name)
    {
        report.WriteLine("test\t" + number);
        Exception thrown = null;
        try
        {
            object tests = Activator.CreateInstance(typeof(TestDriver).Assembly.GetType(type, true));
            ((Action)Delegate.CreateDelegate(typeof(Action), tests, name))();
        }
        catch (Exception exception)
        {
            thrown = exception;
        }
        if (thrown != null)
        {
            string message = string.Join(" ", thrown.Message.Split((char[])null, StringSplitOptions.RemoveEmptyEntries));
            report.WriteLine("thrown\t" + thrown.GetType() + "\t" + message);
            // The program may have caught the exception of a false assertion.
            StackTrace trace = new StackTrace(thrown.InnerException is Exception inner && thrown.GetType() == typeof(Exception) ? inner : thrown, true);
            for (int i = 0; i < trace.FrameCount && i < Frames; i++)
            {
                string text = Runtime.Describe(trace.GetFrame(i), out _, out _);
                if (text != null)
                {
                    report.WriteLine(text);
                }
            }
        }
        report.WriteLine("done");
    }

    /// <summary>Takes the place of the default listener, which ends the process at a failed assertion.</summary>
    sealed class AssertionListener : TraceListener
    {
        public override void Fail(string message, string detail)
        {
            throw new Exception("an assertion of the program is false");
        }

        public override void Write(string message) { }

        public override void WriteLine(string message) { }
    }
}
