import java.util.*;

public class Shapes {
    static int use(ArrayList<Integer> a, LinkedList<Integer> b, ArrayDeque<Integer> c, PriorityQueue<Integer> d,
            HashMap<Integer, Integer> e, LinkedHashMap<Integer, Integer> f, TreeMap<Integer, Integer> g, HashSet<Integer> h,
            LinkedHashSet<Integer> i, TreeSet<Integer> j) {
        return a.size() + b.size() + c.size() + d.size() + e.size() + f.size() + g.size() + h.size() + i.size() + j.size();
    }
}
