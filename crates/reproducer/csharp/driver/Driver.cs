using Aback;
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Contracts;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Threading;

/// <summary>Calls an entry point and reports in a file which assertions fail and which exception leaves it.</summary>
/// <remarks>Arguments: the file of the report; the file name and the line of an assertion at which the run may end, or two
/// empty texts; the number of the failed assertion that throws an exception, or 0; `run` with the assembly and the class of a program, or `call` with a description; then folders and
/// assemblies of the program.</remarks>
static class Driver
{
    static int Main(string[] arguments)
    {
        Report report = new Report(arguments[0], arguments[1], arguments[2], int.Parse(arguments[3]));
        string[] places = new string[arguments.Length - 7];
        Array.Copy(arguments, 7, places, 0, places.Length);
        AppDomain.CurrentDomain.AssemblyResolve += (sender, wanted) => Runtime.Resolve(places, new AssemblyName(wanted.Name).Name);
        Action entry;
        try
        {
            entry = arguments[4] == "run" ? Program(arguments[5], arguments[6]) : new Description().Read(arguments[5]);
        }
        catch (Exception exception)
        {
            report.Fails(exception);
            return 0;
        }
        Trace.Listeners.Clear();
        Trace.Listeners.Add(new Listener(report));
        Contract.ContractFailed += (sender, failure) =>
        {
            failure.SetHandled();
            report.Asserts();
        };
        Thread thread = new Thread(() =>
        {
            try
            {
                entry();
            }
            catch (Exception exception)
            {
                report.Throws(exception);
            }
            // Do not wait for threads that the program has left running.
            report.Ends();
        }, Runtime.Stack);
        thread.Start();
        thread.Join();
        return 0;
    }

    static Action Program(string file, string name)
    {
        MethodInfo run = Assembly.LoadFrom(file).GetType(name, true).GetMethod("Run", BindingFlags.Static | BindingFlags.Public);
        return (Action)Delegate.CreateDelegate(typeof(Action), run);
    }
}

/// <summary>Takes the place of the default listener, which ends the process at a failed assertion.</summary>
sealed class Listener : TraceListener
{
    readonly Report report;

    public Listener(Report report)
    {
        this.report = report;
    }

    public override void Fail(string message, string detail)
    {
        report.Asserts();
    }

    public override void Write(string message) { }

    public override void WriteLine(string message) { }
}

/// <summary>The file with what happens in the run. It is complete at any time.</summary>
sealed class Report
{
    /// <summary>Most frames of a stack trace that are reported, most assertions, and most failures at one place.</summary>
    const int Frames = 2000, Assertions = 1000, Failures = 20;

    readonly StreamWriter file;
    readonly string stopFile, stopLine;
    readonly int probed;
    readonly Dictionary<string, int> seen = new Dictionary<string, int>();
    int failed;
    Exception probe;

    public Report(string path, string stopFile, string stopLine, int probed)
    {
        file = new StreamWriter(path) { AutoFlush = true };
        (this.stopFile, this.stopLine, this.probed) = (stopFile, stopLine, probed);
        file.WriteLine("runtime\t" + RuntimeInformation.FrameworkDescription);
    }

    public void Asserts()
    {
        lock (file)
        {
            if (++failed == probed)
            {
                // Stack traces leave out handlers, except those of exceptions.
                probe = new Exception("An assertion is false.");
                throw probe;
            }
            if (probed == 0 && seen.Count < Assertions)
            {
                try
                {
                    Note();
                }
                catch (Exception exception)
                {
                    Fails(exception);
                }
            }
        }
    }

    /// <summary>Writes the stack trace of a failed assertion.</summary>
    void Note()
    {
        StackTrace trace = new StackTrace(false);
        int first = 0;
        while (first < trace.FrameCount && IsRuntime(trace.GetFrame(first)))
        {
            first++;
        }
        StackFrame place = trace.GetFrame(first);
        if (place == null)
        {
            return;
        }
        string key = Runtime.Token(place.GetMethod()) + " " + place.GetMethod().Module.ModuleVersionId + " " + place.GetILOffset();
        seen.TryGetValue(key, out int before);
        seen[key] = before + 1;
        if (before >= Failures)
        {
            return;
        }
        file.WriteLine("assert\t" + failed);
        if (Write(new StackTrace(first, true)))
        {
            Ends();
        }
    }

    public void Throws(Exception exception)
    {
        lock (file)
        {
            if (exception != probe)
            {
                try
                {
                    file.WriteLine("throw\t" + exception.GetType());
                    Write(new StackTrace(exception, true));
                }
                catch (Exception failure)
                {
                    Fails(failure);
                }
            }
        }
    }

    public void Fails(Exception exception)
    {
        file.WriteLine("error\t" + exception.GetType().Name + ": " + exception.Message.Replace('\n', ' '));
        Ends();
    }

    public void Ends()
    {
        if (probe != null)
        {
            file.WriteLine("assert\t" + probed);
            Write(new StackTrace(probe, true));
        }
        file.WriteLine("end");
        file.Flush();
        Runtime.Exit(0);
    }

    static bool IsRuntime(StackFrame frame)
    {
        MethodBase method = frame.GetMethod();
        string assembly = method == null ? "System" : method.Module.Assembly.GetName().Name;
        return assembly == "System" || assembly.StartsWith("System.") || method.Module.Assembly == typeof(Report).Assembly;
    }

    /// <summary>Writes the frames, and returns whether the first one is at the line at which the run may end.</summary>
    bool Write(StackTrace trace)
    {
        bool stops = false;
        for (int i = 0; i < trace.FrameCount && i < Frames; i++)
        {
            string text = Runtime.Describe(trace.GetFrame(i), out string name, out string line);
            if (text != null)
            {
                file.WriteLine(text);
                stops |= i == 0 && name == stopFile && line == stopLine;
            }
        }
        return stops;
    }
}
