    /// <summary>Calls an action, and fails if an assertion is false. The default listener would end the process.</summary>
    static void Check(System.Action action)
    {
        System.Diagnostics.TraceListener[] others = new System.Diagnostics.TraceListener[System.Diagnostics.Trace.Listeners.Count];
        System.Diagnostics.Trace.Listeners.CopyTo(others, 0);
        Listener listener = new Listener();
        System.Diagnostics.Trace.Listeners.Clear();
        System.Diagnostics.Trace.Listeners.Add(listener);
        try
        {
            action();
        }
        finally
        {
            System.Diagnostics.Trace.Listeners.Clear();
            System.Diagnostics.Trace.Listeners.AddRange(others);
        }
        Xunit.Assert.Empty(listener.Failures);
    }

    sealed class Listener : System.Diagnostics.TraceListener
    {
        public readonly System.Collections.Generic.List<string> Failures = new System.Collections.Generic.List<string>();

        public override void Fail(string message, string detail)
        {
            Failures.Add("An assertion is false:\n" + new System.Diagnostics.StackTrace(1, true));
        }

        public override void Write(string message) { }

        public override void WriteLine(string message) { }
    }
