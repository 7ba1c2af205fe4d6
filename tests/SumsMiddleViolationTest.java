// Written by aback explore --tests: regenerate it instead of changing it.

import org.junit.Test;

/** Assertions that Sums.middle breaks: each test fails until the defect is fixed. */
public class SumsMiddleViolationTest {
    static {
        // Assertions of the program must be enabled before its classes are loaded.
        SumsMiddleViolationTest.class.getClassLoader().setDefaultAssertionStatus(true);
    }

    @Test
    public void breaksAssertion3() throws Throwable {
        int low = 1;
        int high = Integer.MAX_VALUE;
        Sums.middle(low, high);
    }
}
