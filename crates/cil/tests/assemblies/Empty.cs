public static class Program { public static int Main() => 42; }
