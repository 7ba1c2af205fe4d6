/** The plan of a flight: the points that it passes, in a circular list with a header. */
public class FlightPlan {
    static class Fix {
        int x;
        int y;
        Fix next;
        Fix prev;
    }

    private Fix header;
    private int size;

    public boolean repOk() {
        if (header == null) {
            return false;
        }
        int count = 0;
        for (Fix fix = header; ; fix = fix.next) {
            if (fix.next == null || fix.next.prev != fix) {
                return false;
            }
            if (fix.next == header) {
                return count == size;
            }
            if (count++ == size) {
                return false;
            }
        }
    }

    /** What follows for a point that is found, or the header again: a companion method of flightplan.hex. */
    static boolean forth(FlightPlan plan, Fix found) {
        int before = 0;
        Fix end = plan.header;
        for (Fix fix = end.next; fix != found; fix = fix.next) {
            end = fix;
            before++;
        }
        return found == plan.header ? before == plan.size && found.prev == end : before < plan.size;
    }

    /** The same in the other direction. */
    static boolean back(FlightPlan plan, Fix found) {
        int behind = 0;
        Fix end = plan.header;
        for (Fix fix = end.prev; fix != found; fix = fix.prev) {
            end = fix;
            behind++;
        }
        return found == plan.header ? behind == plan.size && found.next == end : behind < plan.size;
    }

    /** Whether there are at most three points: a companion method of flightplan-bound.hex. */
    static boolean small(FlightPlan plan, Fix found) {
        return plan.size <= 3;
    }

    /** The number of points of the trajectory from a position to the end of the plan: those behind the nearest one. */
    public int trajectory(int x, int y) {
        Fix nearest = nearest(x, y);
        if (nearest == null) {
            return 0;
        }
        int points = 1;
        for (Fix fix = nearest; fix != header; fix = fix.next) {
            points++;
        }
        assert points <= size + 1;
        return points;
    }

    /** How many points lie behind the nearest one, on the way back to the start. */
    public int flown(int x, int y) {
        Fix nearest = nearest(x, y);
        if (nearest == null) {
            return 0;
        }
        int points = 0;
        for (Fix fix = nearest.prev; fix != header; fix = fix.prev) {
            points++;
        }
        assert points < size;
        return points;
    }

    /** Whether the flight still follows its plan: whether a point is near, seen from the destination. */
    public boolean conforms(int x, int y) {
        int seen = 0;
        for (Fix fix = header.prev; fix != header; fix = fix.prev) {
            seen++;
            assert seen <= size;
            if (distance(fix.x, x) + distance(fix.y, y) < 100) {
                return true;
            }
        }
        return false;
    }

    private Fix nearest(int x, int y) {
        Fix nearest = null;
        long least = Long.MAX_VALUE;
        for (Fix fix = header.next; fix != header; fix = fix.next) {
            long distance = distance(fix.x, x) + distance(fix.y, y);
            if (distance < least) {
                nearest = fix;
                least = distance;
            }
        }
        return nearest;
    }

    private static long distance(int one, int other) {
        return Math.abs((long) one - other);
    }
}
