/** A set of numbers in an AVL tree. */
public class AvlSet {
    static class Node {
        int value;
        int height;
        Node left;
        Node right;
    }

    private Node root;

    public boolean repOk() {
        return repOk(root, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static boolean repOk(Node node, long low, long high) {
        if (node == null) {
            return true;
        }
        if (node.value <= low || node.value >= high) {
            return false;
        }
        if (!repOk(node.left, low, node.value) || !repOk(node.right, node.value, high)) {
            return false;
        }
        int left = height(node.left);
        int right = height(node.right);
        return left - right <= 1 && right - left <= 1 && node.height == Math.max(left, right) + 1;
    }

    /** What a node says about those on its left side: a companion method of avlset.hex. */
    static boolean before(Node node, Node found) {
        return found == null || found.value < node.value;
    }

    /** What a node says about those on its right side. */
    static boolean behind(Node node, Node found) {
        return found == null || found.value > node.value;
    }

    /** What the height of a node says about its left child, and about the right one if the left one is too low. */
    static boolean left(Node node, Node left) {
        return fits(node, height(left)) && (height(left) == node.height - 1 || height(node.right) == node.height - 1);
    }

    /** What the height of a node says about its right child, and about the left one if the right one is too low. */
    static boolean right(Node node, Node right) {
        return fits(node, height(right)) && (height(right) == node.height - 1 || height(node.left) == node.height - 1);
    }

    private static boolean fits(Node node, int child) {
        return node.height >= 1 && child >= 0 && child < node.height && child >= node.height - 2;
    }

    private static int height(Node node) {
        return node == null ? 0 : node.height;
    }

    /** Whether there are at most three levels: a companion method of avlset-bound.hex. */
    static boolean small(AvlSet set, Node root) {
        return root == null || root.height <= 3;
    }

    public boolean isEmpty() {
        return root == null;
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

    public int largest() {
        if (root == null) {
            throw new IllegalStateException();
        }
        Node node = root;
        while (node.right != null) {
            node = node.right;
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

    public void add(int value) {
        root = inserted(root, value);
    }

    public void remove(int value) {
        root = without(root, value);
    }

    public void clear() {
        root = null;
    }

    private static Node inserted(Node node, int value) {
        if (node == null) {
            Node leaf = new Node();
            leaf.value = value;
            leaf.height = 1;
            return leaf;
        }
        if (value < node.value) {
            node.left = inserted(node.left, value);
        } else if (value > node.value) {
            node.right = inserted(node.right, value);
        }
        return balanced(node);
    }

    private static Node without(Node node, int value) {
        if (node == null) {
            return null;
        }
        if (value < node.value) {
            node.left = without(node.left, value);
        } else if (value > node.value) {
            node.right = without(node.right, value);
        } else if (node.left == null) {
            return node.right;
        } else if (node.right == null) {
            return node.left;
        } else {
            Node next = node.right;
            while (next.left != null) {
                next = next.left;
            }
            node.value = next.value;
            node.right = without(node.right, next.value);
        }
        return balanced(node);
    }

    private static Node balanced(Node node) {
        int balance = height(node.left) - height(node.right);
        if (balance > 1) {
            if (height(node.left.left) < height(node.left.right)) {
                node.left = rotateLeft(node.left);
            }
            return rotateRight(node);
        }
        if (balance < -1) {
            if (height(node.right.right) < height(node.right.left)) {
                node.right = rotateRight(node.right);
            }
            return rotateLeft(node);
        }
        measure(node);
        return node;
    }

    private static Node rotateLeft(Node node) {
        Node top = node.right;
        node.right = top.left;
        top.left = node;
        measure(node);
        measure(top);
        return top;
    }

    private static Node rotateRight(Node node) {
        Node top = node.left;
        node.left = top.right;
        top.right = node;
        measure(node);
        measure(top);
        return top;
    }

    private static void measure(Node node) {
        node.height = Math.max(height(node.left), height(node.right)) + 1;
    }
}
