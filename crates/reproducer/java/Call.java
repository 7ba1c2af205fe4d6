    /** Calls a private method. */
    private static Object call(Class<?> type, String name, Class<?>[] parameters, Object object, Object[] arguments)
            throws Throwable {
        java.lang.reflect.Method method = type.getDeclaredMethod(name, parameters);
        method.setAccessible(true);
        try {
            return method.invoke(object, arguments);
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw e.getCause();
        }
    }
