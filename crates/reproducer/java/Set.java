    /** Writes a private or final field. */
    private static void set(Class<?> type, Object object, String name, Object value)
            throws ReflectiveOperationException {
        java.lang.reflect.Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        field.set(object, value);
    }
