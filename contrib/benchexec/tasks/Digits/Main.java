/** Adds the digits of the first argument. There may be no argument, and not all characters are digits. */
public class Main {
    public static void main(String[] args) {
        String text = args[0];
        int sum = 0;
        for (int i = 0; i < text.length() && i < 3; i++) {
            sum += text.charAt(i) - '0';
        }
        assert sum <= 27;
    }
}
