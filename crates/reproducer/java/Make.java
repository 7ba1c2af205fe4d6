    /** Makes an object without running a constructor. */
    private static <T> T make(Class<T> type) throws ReflectiveOperationException {
        return type.cast(
                sun.reflect.ReflectionFactory.getReflectionFactory()
                        .newConstructorForSerialization(type, Object.class.getDeclaredConstructor())
                        .newInstance());
    }
