/** A search tree whose subtrees differ in height by at most one. */
public class AvlTree {
    static class Node {
        int value;
        int height;
        Node left;
        Node right;
    }

    private Node root;

    public boolean repOk() {
        return repOk(root, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    private static boolean repOk(Node node, long low, long high) {
        if (node == null) {
            return true;
        }
        if (node.value < low || node.value > high) {
            return false;
        }
        if (!repOk(node.left, low, node.value - 1L) || !repOk(node.right, node.value + 1L, high)) {
            return false;
        }
        int left = height(node.left);
        int right = height(node.right);
        return Math.abs(left - right) <= 1 && node.height == Math.max(left, right) + 1;
    }

    /** What a node says about its left child: a companion method of avltree.hex. */
    static boolean left(Node node, Node left) {
        return node.height >= 1
            && (left == null ? node.height <= 2 : left.value < node.value && left.height < node.height
                && left.height >= node.height - 2 && left.height >= 1);
    }

    /** What a node says about its right child. */
    static boolean right(Node node, Node right) {
        return node.height >= 1
            && (right == null ? node.height <= 2 : right.value > node.value && right.height < node.height
                && right.height >= node.height - 2 && right.height >= 1);
    }

    private static int height(Node node) {
        return node == null ? 0 : node.height;
    }

    public boolean contains(int value) {
        Node node = root;
        while (node != null && node.value != value) {
            node = value < node.value ? node.left : node.right;
        }
        return node != null;
    }

    public int smallest() {
        if (root == null) {
            throw new IllegalStateException();
        }
        Node node = root;
        while (node.left != null) {
            node = node.left;
        }
        return node.value;
    }

    public int balance() {
        if (root == null) {
            return 0;
        }
        int balance = height(root.left) - height(root.right);
        assert balance >= -1 && balance <= 1;
        return balance;
    }
}
