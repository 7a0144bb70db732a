import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The rules of Gothello. A board is an array of 25 characters, 'b', 'w' or '.', in reading order: a5 to e5, then a4 to
 * e4, down to a1 to e1. A point is an index into it, from 0 (a5) to 24 (e1). Sides are 'b' and 'w'.
 */
final class Rules {
    static final int SIZE = 5;
    static final int POINTS = SIZE * SIZE;
    static final char EMPTY = '.';

    /** The two to four points next to each point. */
    static final int[][] NEIGHBOURS = new int[POINTS][];

    static {
        for (int point = 0; point < POINTS; point++) {
            List<Integer> beside = new ArrayList<>();
            int row = point / SIZE, column = point % SIZE;
            if (row > 0) beside.add(point - SIZE);
            if (column > 0) beside.add(point - 1);
            if (column < SIZE - 1) beside.add(point + 1);
            if (row < SIZE - 1) beside.add(point + SIZE);
            NEIGHBOURS[point] = beside.stream().mapToInt(p -> p).toArray();
        }
    }

    private Rules() {}

    static char[] emptyBoard() { return ".".repeat(POINTS).toCharArray(); }

    static char opponent(char side) { return side == 'b' ? 'w' : 'b'; }

    /** The name of a point: 12 is "c3". */
    static String name(int point) { return "" + "abcde".charAt(point % SIZE) + "54321".charAt(point / SIZE); }

    /** The point of a name: "c3" is 12. */
    static int point(String name) { return "54321".indexOf(name.charAt(1)) * SIZE + "abcde".indexOf(name.charAt(0)); }

    /** Adds the group at a point to `group`. Returns whether the group has a liberty: an adjacent empty point. */
    private static boolean findGroup(char[] board, int point, Set<Integer> group) {
        boolean liberty = false;
        group.add(point);
        for (int beside : NEIGHBOURS[point]) {
            if (board[beside] == EMPTY) liberty = true;
            if (board[beside] == board[point] && !group.contains(beside) && findGroup(board, beside, group)) liberty = true;
        }
        return liberty;
    }

    /**
     * Whether a stone may go on a point: it is empty, and the stone's group then has a liberty. This is judged BEFORE
     * captures: a stone without a liberty is illegal even if it would capture.
     */
    static boolean isLegal(char[] board, char side, int point) {
        if (board[point] != EMPTY) return false;
        for (int beside : NEIGHBOURS[point]) if (board[beside] == EMPTY) return true; // this only saves time
        char[] after = board.clone();
        after[point] = side;
        return findGroup(after, point, new HashSet<>());
    }

    /** All points on which a side may place a stone. A pass is always legal. */
    static List<Integer> legalPoints(char[] board, char side) {
        List<Integer> points = new ArrayList<>();
        for (int point = 0; point < POINTS; point++) if (isLegal(board, side, point)) points.add(point);
        return points;
    }

    /** The board after a legal placement: groups next to it that have lost their last liberty change colour. */
    static char[] play(char[] board, char side, int point) {
        char[] after = board.clone();
        after[point] = side;
        for (int beside : NEIGHBOURS[point]) {
            Set<Integer> group = new HashSet<>();
            if (after[beside] != opponent(side) || findGroup(after, beside, group)) continue;
            for (int stone : group) after[stone] = side;
        }
        return after;
    }

    /** The stones of a side minus those of its opponent. Two passes in a row end the game, and the lead decides it. */
    static int lead(char[] board, char side) {
        int lead = 0;
        for (char stone : board) lead += stone == side ? 1 : stone == EMPTY ? 0 : -1;
        return lead;
    }

    /** The empty points next to a stone of a side. */
    static int liberties(char[] board, char side) {
        int liberties = 0;
        for (int point = 0; point < POINTS; point++) {
            boolean isOwn = false;
            for (int beside : NEIGHBOURS[point]) isOwn |= board[beside] == side;
            if (board[point] == EMPTY && isOwn) liberties++;
        }
        return liberties;
    }
}
