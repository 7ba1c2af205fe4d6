/** Rates in percent. */
public class Rates {
    private static int asked;

    /** What a part is of a whole. */
    public static int rate(int part, int whole) {
        asked++;
        return 100 * part / whole;
    }
}
