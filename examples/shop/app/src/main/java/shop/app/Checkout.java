package shop.app;

import shop.Cart;

/** Sells things. */
public class Checkout {
    public static int priceOfDozen(int price) {
        Cart cart = new Cart();
        cart.add("eggs", price, 12);
        int average = cart.averagePrice();
        assert average == price;
        return 12 * average;
    }

    public static int discounted(int price, int percent) {
        if (price < 0 || price > 10_000 || percent < 0) {
            return price;
        }
        int paid = price - price * percent / 100;
        assert paid >= 0 && paid <= price;
        return paid;
    }
}
