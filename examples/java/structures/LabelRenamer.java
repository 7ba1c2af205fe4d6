/** Gives the labels in a parse tree numbers as names that the external code does not use. */
public class LabelRenamer {
    static final int LABEL = 1;
    static final int BREAK = 2;

    /** A node knows its first child, the next child of its parent, and its parent. */
    static class Node {
        int kind;
        int name;
        Node child;
        Node next;
        Node parent;

        public boolean repOk() {
            return parent == null && next == null && isTree(this);
        }

        private static boolean isTree(Node node) {
            for (Node child = node.child; child != null; child = child.next) {
                if (child.parent != node || child.next != null && isBefore(node.child, child, child.next)) {
                    return false;
                }
                if (!isTree(child)) {
                    return false;
                }
            }
            return true;
        }

        /** Whether a node is among the children up to the last one of these. */
        private static boolean isBefore(Node first, Node last, Node node) {
            for (Node child = first; ; child = child.next) {
                if (child == node) {
                    return true;
                }
                if (child == last) {
                    return false;
                }
            }
        }
    }

    private int used;

    static int rename(Node root, Node externs) {
        LabelRenamer renamer = new LabelRenamer();
        if (externs != null) {
            renamer.reserve(externs);
        }
        int reserved = externs == null ? 0 : externs.name;
        if (root != null) {
            renamer.visit(root);
        }
        // The external code stays as it is.
        assert externs == null || externs.name == reserved;
        return renamer.used;
    }

    private void reserve(Node node) {
        if (node.kind == LABEL && node.name > used) {
            used = node.name;
        }
        for (Node child = node.child; child != null; child = child.next) {
            reserve(child);
        }
    }

    private void visit(Node node) {
        if (node.kind == LABEL) {
            used++;
            node.name = used;
        }
        if (node.kind == BREAK) {
            // The defect: nothing says that there is a label around it.
            Node label = node.parent;
            while (label.kind != LABEL) {
                label = label.parent;
            }
            node.name = label.name;
        }
        for (Node child = node.child; child != null; child = child.next) {
            visit(child);
        }
    }
}
