    /** Calls a private constructor. */
    private static Object construct(Class<?> type, Class<?>[] parameters, Object[] arguments) throws Throwable {
        java.lang.reflect.Constructor<?> constructor = type.getDeclaredConstructor(parameters);
        constructor.setAccessible(true);
        try {
            return constructor.newInstance(arguments);
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw e.getCause();
        }
    }
