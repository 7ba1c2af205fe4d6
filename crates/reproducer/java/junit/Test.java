package org.junit.jupiter.api;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands in for the annotation of JUnit, where there is none. */
@Retention(RetentionPolicy.RUNTIME)
public @interface Test {}
