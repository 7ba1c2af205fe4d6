/** A map from numbers to numbers in a red-black tree whose nodes know their parents. */
public class RedBlackMap {
    static class Node {
        int key;
        int value;
        boolean red;
        Node left;
        Node right;
        Node parent;
    }

    private Node root;

    public boolean repOk() {
        return (root == null || !root.red && root.parent == null) && blacks(root, Long.MIN_VALUE, Long.MAX_VALUE) >= 0;
    }

    /** The number of black nodes on each way down; -1 if there is something wrong. */
    private static int blacks(Node node, long low, long high) {
        if (node == null) {
            return 0;
        }
        if (node.key <= low || node.key >= high || !isChild(node, node.left) || !isChild(node, node.right)) {
            return -1;
        }
        int left = blacks(node.left, low, node.key);
        if (left < 0 || blacks(node.right, node.key, high) != left) {
            return -1;
        }
        return node.red ? left : left + 1;
    }

    private static boolean isChild(Node node, Node child) {
        return child == null || child.parent == node && !(node.red && child.red);
    }

    /** Whether the root is black: a companion method of redblackmap.hex. */
    static boolean root(RedBlackMap map, Node root) {
        return root == null || !root.red;
    }

    /** What a node says about those on its left side. */
    static boolean before(Node node, Node found) {
        return found == null || found.key < node.key;
    }

    /** What a node says about those on its right side. */
    static boolean behind(Node node, Node found) {
        return found == null || found.key > node.key;
    }

    /** Whether the colour of a child fits: compares the black nodes on the way up with those on the leftmost way down. */
    static boolean coloured(Node node, Node child) {
        if (child != null && node.red && child.red) {
            return false;
        }
        int blacks = child == null || child.red ? 0 : 1;
        Node top = node;
        for (Node up = node; up != null; up = up.parent) {
            blacks += up.red ? 0 : 1;
            top = up;
        }
        for (Node down = top; down != null; down = down.left) {
            blacks -= down.red ? 0 : 1;
        }
        return child == null ? blacks == 0 : blacks <= 0;
    }

    public boolean isEmpty() {
        return root == null;
    }

    public boolean containsKey(int key) {
        return find(key) != null;
    }

    public int get(int key) {
        Node node = find(key);
        if (node == null) {
            throw new IllegalStateException();
        }
        return node.value;
    }

    public int firstKey() {
        if (root == null) {
            throw new IllegalStateException();
        }
        return leftEnd(root).key;
    }

    public int lastKey() {
        if (root == null) {
            throw new IllegalStateException();
        }
        Node node = root;
        while (node.right != null) {
            node = node.right;
        }
        return node.key;
    }

    public boolean containsValue(int value) {
        for (Node node = root == null ? null : leftEnd(root); node != null; node = successor(node)) {
            if (node.value == value) {
                return true;
            }
        }
        return false;
    }

    /** The next key; this key if there is none. */
    public int higherKey(int key) {
        Node node = find(key);
        Node next = node == null ? null : successor(node);
        if (next == null) {
            return key;
        }
        assert next.key > key;
        return next.key;
    }

    public void clear() {
        root = null;
    }

    public void put(int key, int value) {
        Node parent = null;
        for (Node node = root; node != null; ) {
            if (node.key == key) {
                node.value = value;
                return;
            }
            parent = node;
            node = key < node.key ? node.left : node.right;
        }
        Node node = new Node();
        node.key = key;
        node.value = value;
        node.red = true;
        node.parent = parent;
        if (parent == null) {
            root = node;
        } else if (key < parent.key) {
            parent.left = node;
        } else {
            parent.right = node;
        }
        afterInsertion(node);
    }

    public boolean remove(int key) {
        Node node = find(key);
        if (node == null) {
            return false;
        }
        if (node.left != null && node.right != null) {
            Node next = leftEnd(node.right);
            node.key = next.key;
            node.value = next.value;
            node = next;
        }
        Node child = node.left != null ? node.left : node.right;
        if (child != null) {
            replace(node, child);
            if (!node.red) {
                child.red = false;
            }
        } else {
            if (!node.red) {
                beforeDeletion(node);
            }
            replace(node, null);
        }
        return true;
    }

    private Node find(int key) {
        Node node = root;
        while (node != null && node.key != key) {
            node = key < node.key ? node.left : node.right;
        }
        return node;
    }

    private static Node leftEnd(Node node) {
        while (node.left != null) {
            node = node.left;
        }
        return node;
    }

    private static Node successor(Node node) {
        if (node.right != null) {
            return leftEnd(node.right);
        }
        Node parent = node.parent;
        while (parent != null && node == parent.right) {
            node = parent;
            parent = parent.parent;
        }
        return parent;
    }

    private void replace(Node node, Node child) {
        if (child != null) {
            child.parent = node.parent;
        }
        if (node.parent == null) {
            root = child;
        } else if (node == node.parent.left) {
            node.parent.left = child;
        } else {
            node.parent.right = child;
        }
    }

    private void rotateLeft(Node node) {
        Node top = node.right;
        node.right = top.left;
        if (top.left != null) {
            top.left.parent = node;
        }
        replace(node, top);
        top.left = node;
        node.parent = top;
    }

    private void rotateRight(Node node) {
        Node top = node.left;
        node.left = top.right;
        if (top.right != null) {
            top.right.parent = node;
        }
        replace(node, top);
        top.right = node;
        node.parent = top;
    }

    private static boolean isRed(Node node) {
        return node != null && node.red;
    }

    private void afterInsertion(Node node) {
        while (isRed(node.parent)) {
            Node parent = node.parent;
            Node grandparent = parent.parent;
            boolean isLeft = parent == grandparent.left;
            Node uncle = isLeft ? grandparent.right : grandparent.left;
            if (isRed(uncle)) {
                parent.red = false;
                uncle.red = false;
                grandparent.red = true;
                node = grandparent;
                continue;
            }
            if (isLeft) {
                if (node == parent.right) {
                    rotateLeft(parent);
                    parent = node;
                }
                rotateRight(grandparent);
            } else {
                if (node == parent.left) {
                    rotateRight(parent);
                    parent = node;
                }
                rotateLeft(grandparent);
            }
            parent.red = false;
            grandparent.red = true;
            break;
        }
        root.red = false;
    }

    private void beforeDeletion(Node node) {
        while (node.parent != null && !node.red) {
            Node parent = node.parent;
            boolean isLeft = node == parent.left;
            Node sibling = isLeft ? parent.right : parent.left;
            if (sibling.red) {
                sibling.red = false;
                parent.red = true;
                if (isLeft) {
                    rotateLeft(parent);
                    sibling = parent.right;
                } else {
                    rotateRight(parent);
                    sibling = parent.left;
                }
            }
            if (!isRed(sibling.left) && !isRed(sibling.right)) {
                sibling.red = true;
                node = parent;
                continue;
            }
            if (isLeft) {
                if (!isRed(sibling.right)) {
                    sibling.left.red = false;
                    sibling.red = true;
                    rotateRight(sibling);
                    sibling = parent.right;
                }
                sibling.red = parent.red;
                sibling.right.red = false;
                rotateLeft(parent);
            } else {
                if (!isRed(sibling.left)) {
                    sibling.right.red = false;
                    sibling.red = true;
                    rotateLeft(sibling);
                    sibling = parent.left;
                }
                sibling.red = parent.red;
                sibling.left.red = false;
                rotateRight(parent);
            }
            parent.red = false;
            return;
        }
        node.red = false;
    }
}
