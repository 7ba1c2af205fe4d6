    /** Reads a private field. */
    private static Object get(Class<?> type, Object object, String name) throws ReflectiveOperationException {
        java.lang.reflect.Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }
