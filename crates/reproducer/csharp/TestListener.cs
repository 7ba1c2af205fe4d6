    /// <summary>Calls an action, and fails if an assertion is false. The default listener would end the process.</summary>
    static void Check(System.Action action)
    {
        System.Diagnostics.TraceListener[] others = new System.Diagnostics.TraceListener[System.Diagnostics.Trace.Listeners.Count];
        System.Diagnostics.Trace.Listeners.CopyTo(others, 0);
        Listener listener = new Listener();
        System.Diagnostics.Trace.Listeners.Clear();
        System.Diagnostics.Trace.Listeners.Add(listener);
        System.Diagnostics.Contracts.Contract.ContractFailed += listener.Fail;
        try
        {
            action();
        }
        finally
        {
            System.Diagnostics.Contracts.Contract.ContractFailed -= listener.Fail;
            System.Diagnostics.Trace.Listeners.Clear();
            System.Diagnostics.Trace.Listeners.AddRange(others);
        }
        if (listener.Failure != null)
        {
            throw new System.Exception("An assertion is false, and the program catches the exception for it.", listener.Failure);
        }
    }

    /// <summary>Throws an exception for a false assertion.</summary>
    sealed class Listener : System.Diagnostics.TraceListener
    {
        public System.Exception Failure;

        public void Fail(object sender, System.Diagnostics.Contracts.ContractFailedEventArgs failure)
        {
            failure.SetHandled();
            Fail(failure.Message);
        }

        public override void Fail(string message, string detail)
        {
            Failure = Failure ?? new System.Exception("An assertion is false. " + message);
            throw Failure;
        }

        public override void Write(string message) { }

        public override void WriteLine(string message) { }
    }
