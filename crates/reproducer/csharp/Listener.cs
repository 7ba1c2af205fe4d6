    /// <summary>Takes the place of the default listener, which ends the program at a failed assertion.</summary>
    sealed class Listener : System.Diagnostics.TraceListener
    {
        public int Failures;

        public override void Fail(string message, string detail)
        {
            Failures++;
            System.Console.Error.WriteLine("An assertion is false:\n" + new System.Diagnostics.StackTrace(1, true));
        }

        public override void Write(string message) { }

        public override void WriteLine(string message) { }
    }
