// Written by aback explore --tests: regenerate it instead of changing it.

import static org.junit.Assert.*;

import org.junit.Test;

/** What Sums.middle does: each test passes as long as it does the same. */
public class SumsMiddleTest {
    static {
        // Assertions of the program must be enabled before its classes are loaded.
        SumsMiddleTest.class.getClassLoader().setDefaultAssertionStatus(true);
    }

    @Test
    public void returns1() throws Throwable {
        int low = -1;
        int high = 0;
        int result = Sums.middle(low, high);
        assertEquals(-1, result);
    }

    @Test
    public void returns2() throws Throwable {
        int low = 0;
        int high = -1;
        int result = Sums.middle(low, high);
        assertEquals(-1, result);
    }

    @Test
    public void returns4() throws Throwable {
        int low = 0;
        int high = 0;
        int result = Sums.middle(low, high);
        assertEquals(0, result);
    }
}
