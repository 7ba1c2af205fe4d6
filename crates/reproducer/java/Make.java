    /** An object whose constructor has not run. */
    private static <T> T make(Class<T> type) throws ReflectiveOperationException {
        return type.cast(
                sun.reflect.ReflectionFactory.getReflectionFactory()
                        .newConstructorForSerialization(type, Object.class.getDeclaredConstructor())
                        .newInstance());
    }
