// Replaces code of the class library that waits for other threads.

namespace Models.System.Threading
{
    static class Lock
    {
        // There is one thread, which gets every lock. The end of an empty scope does nothing.
        public static global::System.Threading.Lock.Scope EnterScope(global::System.Threading.Lock self) => default;
    }
}
