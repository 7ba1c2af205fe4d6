using System;
using System.Collections.Generic;
using System.Reflection;
using System.Reflection.Emit;
using static System.Reflection.Emit.OpCodes;

static partial class Generator
{
    static void Members(TypeBuilder type) { }
    static void Rest() { }
}
