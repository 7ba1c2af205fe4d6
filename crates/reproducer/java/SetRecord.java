    /** Writes a field of a record, which reflection cannot do. */
    private static void setRecord(Class<?> type, Object object, String name, Object value)
            throws ReflectiveOperationException {
        Class<?> memory = Class.forName("jdk.internal.misc.Unsafe");
        Object unsafe = memory.getMethod("getUnsafe").invoke(null);
        Object offset = memory.getMethod("objectFieldOffset", Class.class, String.class).invoke(unsafe, type, name);
        Class<?> kind = type.getDeclaredField(name).getType();
        String word = kind.getName();
        String put = kind.isPrimitive() ? "put" + word.substring(0, 1).toUpperCase() + word.substring(1) : "putReference";
        memory.getMethod(put, Object.class, long.class, kind.isPrimitive() ? kind : Object.class)
                .invoke(unsafe, object, offset, value);
    }
