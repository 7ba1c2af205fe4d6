using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Threading;

/// <summary>
/// Runs csc for requests on standard input, which `with-compilers.sh` describes. The argument is the file of csc, whose
/// methods are not public.
/// </summary>
static class Server {
    const BindingFlags Any = BindingFlags.Static | BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public;

    static void Main(string[] arguments) {
        var csc = Assembly.LoadFrom(arguments[0]);
        var run = csc.GetType("Microsoft.CodeAnalysis.CSharp.CommandLine.Csc", true)!
            .GetMethods(Any | BindingFlags.DeclaredOnly).Single(method => method.Name == "Run" && method.GetParameters().Length == 4);
        while (Console.In.ReadLine() is { } line) {
            var request = line.Split('\t');
            new Thread(() => Answer(run, arguments[0], request), 16 << 20).Start();
        }
        Environment.Exit(0);
    }

    static void Answer(MethodInfo run, string csc, string[] request) {
        var said = new StringWriter();
        string status;
        try {
            // The encoding of what it says is that of the answer.
            var options = request[2] + ".options";
            File.WriteAllLines(options, File.ReadLines(request[1][1..]).Where(option => option != "-utf8output"));
            var make = run.GetParameters()[1].ParameterType.GetConstructors(Any).Single(made => made.GetParameters().Length == 4);
            var paths = make.Invoke([Path.GetDirectoryName(csc), request[0], null, Path.GetTempPath()]);
            status = $"{run.Invoke(null, [new[] { "@" + options }, paths, said, null])}";
        } catch (Exception failure) {
            Console.Error.WriteLine(failure);
            status = "failed";
        }
        try {
            using var answer = new FileStream(request[2], FileMode.Open, FileAccess.Write);
            answer.Write(Encoding.UTF8.GetBytes($"{status}\n{said}"));
        } catch (IOException) {
            // Whoever asked was stopped.
        }
    }
}
