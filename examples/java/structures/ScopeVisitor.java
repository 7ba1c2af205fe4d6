/** Visits a parse tree, and counts the names in functions for which there is a graph. */
public class ScopeVisitor {
    static final int FUNCTION = 1;
    static final int NAME = 2;

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

    /** The graphs of functions, in a list that ends. */
    static class Graph {
        int function;
        Graph next;

        public boolean repOk() {
            for (Graph graph = this; graph.next != null; graph = graph.next) {
                for (Graph before = this; ; before = before.next) {
                    if (before == graph.next) {
                        return false;
                    }
                    if (before == graph) {
                        break;
                    }
                }
            }
            return true;
        }
    }

    static int names(Node root, Graph graphs) {
        return root == null ? 0 : visit(root, graphs, false);
    }

    private static int visit(Node node, Graph graphs, boolean isInside) {
        if (node.kind == FUNCTION) {
            isInside = has(graphs, node.name);
            // The defect: a function can be incomplete.
            assert node.child.parent == node;
        }
        int names = isInside && node.kind == NAME ? 1 : 0;
        for (Node child = node.child; child != null; child = child.next) {
            assert child.parent == node;
            names += visit(child, graphs, isInside);
        }
        return names;
    }

    private static boolean has(Graph graphs, int function) {
        for (Graph graph = graphs; graph != null; graph = graph.next) {
            if (graph.function == function) {
                return true;
            }
        }
        return false;
    }
}
