package shop;

import java.util.Objects;

/** What a customer wants to buy. */
public class Cart {
    private int total;
    private int items;

    public void add(String name, int price, int count) {
        Objects.requireNonNull(name);
        if (price < 0 || price > 10_000 || count < 1 || count > 100) {
            throw new IllegalArgumentException("price or count");
        }
        total += price * count;
        items += count;
    }

    public int averagePrice() {
        return total / items;
    }
}
