import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A Gothello bot to make your own. Change {@code evaluate} first.
 *
 * <pre>
 * java -cp classes Bot SIDE HOST PORT     for example: java -cp classes Bot black localhost 29068
 * java -cp classes Bot SIDE --stdio       talks over stdin and stdout
 * </pre>
 */
final class Bot {
    static final int DEPTH = 2; // how many plies to look ahead, unless the clock gives time for each move
    static final int FURTHEST = 50; // more plies than any game has
    static final int WIN = 1000; // more than any evaluation
    static final int PASS = -1;

    /** How good the board is for {@code side}, which is to move: the bot looks for moves that lead to high values. */
    static int evaluate(char[] board, char side) {
        // YOUR IDEA GOES HERE. So far a stone is worth 2, and an empty point next to a stone (a liberty) 1. Which
        // stones can never be captured again? Which points can only one side play on? README.md has a first idea to
        // try.
        int liberties = Rules.liberties(board, side) - Rules.liberties(board, Rules.opponent(side));
        return 2 * Rules.lead(board, side) + liberties;
    }

    private static final class OutOfTime extends Exception {
        private static final long serialVersionUID = 1;
    }

    private final GothelloClient client;
    private final char me;
    private final Random random;
    private char[] board = Rules.emptyBoard();
    private long deadline; // of our turn, on the clock of System.nanoTime
    private int furthest;  // how many plies to look ahead in our turn; fewer at the deadline
    private int found;     // the value of the best move of the last search that was complete

    private Bot(GothelloClient client, Random random) {
        this.client = client;
        this.me = client.side().charAt(0);
        this.random = random;
    }

    /**
     * The value of a board for the side to move, looking {@code depth} plies ahead: negamax with alpha-beta. In the
     * search, a side passes only to win, or if no other move is legal.
     */
    private int search(char[] board, char side, int depth, boolean passed, int alpha, int beta) throws OutOfTime {
        int lead = Rules.lead(board, side);
        if (passed && lead > 0) return WIN + lead; // a second pass ends the game and wins it
        if (depth == 0) return evaluate(board, side);
        if (System.nanoTime() - deadline > 0) throw new OutOfTime();
        char other = Rules.opponent(side);
        List<Integer> points = Rules.legalPoints(board, side);
        if (points.isEmpty() && passed) return lead < 0 ? lead - WIN : 0; // neither side can move
        if (points.isEmpty()) return -search(board, other, depth - 1, true, -beta, -alpha);
        for (int point : points) {
            alpha = Math.max(alpha, -search(Rules.play(board, side, point), other, depth - 1, false, -beta, -alpha));
            if (alpha >= beta) break; // the opponent will avoid this position
        }
        return alpha;
    }

    /**
     * The best of the points, looking {@code depth} plies ahead, or the first of equally good points. Stores its value
     * in {@code found}.
     */
    private int bestOf(List<Integer> points, int depth) throws OutOfTime {
        int best = PASS, alpha = -2 * WIN;
        for (int point : points) {
            char[] after = Rules.play(board, me, point);
            int value = -search(after, Rules.opponent(me), depth - 1, false, -2 * WIN, -alpha);
            if (value > alpha) {
                best = point;
                alpha = value;
            }
        }
        found = alpha;
        return best;
    }

    /** Reports what the bot thinks of its position. The arena stores this claim next to the exact value. */
    private void think(int value, int depth, int point) {
        double points = value / 2.0;                // `evaluate` counts 2 for a stone
        if (value > WIN / 2) points = value - WIN;  // the search has seen the end of the game
        if (value < -WIN / 2) points = value + WIN;
        System.err.println("#think value=" + points + " depth=" + depth + " pv=" + Rules.name(point));
    }

    /** The point to play on, or PASS. */
    private int choose(boolean passed, Set<Integer> refused) {
        List<Integer> points = Rules.legalPoints(board, me);
        points.removeAll(refused);
        if (points.isEmpty() || passed && Rules.lead(board, me) > 0) return PASS; // no other move is legal, or a pass wins
        Collections.shuffle(points, random); // of equally good moves, the first one wins
        int searched = 0;
        try {
            for (int depth = 1; depth <= furthest; depth++) {
                Integer best = bestOf(points, depth);
                points.remove(best);
                points.add(0, best); // with a good move first, the deeper search skips more
                searched = depth;
            }
        } catch (OutOfTime late) {
            // The last depth that was searched completely counts.
        }
        if (searched > 0) think(found, searched, points.get(0));
        return points.get(0);
    }

    /** Decides how long to think about our move, and how many plies to look ahead. */
    private void planTurn() {
        // Each side has at most about 20 moves in a game, so a move gets a twentieth of the time for the whole game,
        // and 3/4 of the time for each move. The rest, and a bank, is for delays, such as a busy machine.
        double left = client.myTime().orElse(20); // we lose on time after `left` seconds; without clocks, think for 1 s
        double seconds = left / 20;
        GothelloClient.TimeControl control = client.timeControl();
        furthest = FURTHEST;
        if (control.moveTime > 0) {
            seconds = 0.75 * control.moveTime;
        } else if (control.periods > 0) { // the main time is used up first; a period that is not exceeded comes back
            double mainTime = left - control.periods * control.period;
            seconds = Math.max(mainTime / 20, 0.75 * control.period);
        } else if (control.increment > 0) {
            seconds = Math.min(left / 20 + 0.75 * control.increment, 0.75 * left);
        } else {
            furthest = DEPTH;
        }
        deadline = System.nanoTime() + (long) (seconds * 1e9);
    }

    /** Makes our move, also on the board. A move that the referee refuses is replaced by another one. */
    private void takeTurn(boolean passed) {
        Set<Integer> refused = new HashSet<>();
        planTurn();
        while (true) {
            int point = choose(passed, refused);
            GothelloClient.Reply reply = point == PASS ? client.pass() : client.play(Rules.name(point));
            if (reply instanceof GothelloClient.Accepted && point != PASS) board = Rules.play(board, me, point);
            if (!(reply instanceof GothelloClient.Refused)) return; // if the game is over, next() reports it
            System.err.println("refused: " + ((GothelloClient.Refused) reply).text);
            if (!refused.add(point)) client.resign(); // a pass was refused, which never happens
        }
    }

    private GothelloClient.GameOver playGame() {
        char toMove = 'b';
        boolean passed = false;
        while (true) {
            if (toMove == me && client.told() == 0) { // an opening may contain moves of ours
                takeTurn(passed);
                toMove = Rules.opponent(me);
            }
            GothelloClient.Event event = client.next();
            if (event instanceof GothelloClient.GameOver) return (GothelloClient.GameOver) event;
            if (event instanceof GothelloClient.Move) {
                int point = Rules.point(((GothelloClient.Move) event).point);
                board = Rules.play(board, toMove, point);
            }
            passed = event instanceof GothelloClient.Pass;
            toMove = Rules.opponent(toMove);
        }
    }

    public static void main(String[] args) {
        String name = System.getenv().getOrDefault("GOTHELLO_NAME", ""); // the arena sets both
        String seed = System.getenv("GOTHELLO_SEED");
        Random random = seed == null ? new Random() : new Random(Long.parseLong(seed));
        try {
            GothelloClient client;
            if (args.length == 2 && args[1].equals("--stdio")) {
                client = GothelloClient.stdio(args[0], name);
            } else if (args.length == 3) {
                client = new GothelloClient(args[0], args[1], Integer.parseInt(args[2]), name);
            } else {
                throw new IOException("usage: Bot SIDE HOST PORT, or Bot SIDE --stdio");
            }
            GothelloClient.GameOver end = new Bot(client, random).playGame();
            System.err.println(end.result + ": " + end.text);
        } catch (IOException error) { // no referee, or no seat
            System.err.println("Bot: " + error.getMessage());
            System.exit(1);
        }
    }
}
