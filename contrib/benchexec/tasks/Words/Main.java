/** Counts words in the arguments. Both properties hold. */
public class Main {
    public static void main(String[] args) {
        int words = 0;
        for (String arg : args) {
            if (!arg.isEmpty()) {
                words++;
            }
        }
        if (args.length < 3) {
            assert words <= 2;
        }
    }
}
