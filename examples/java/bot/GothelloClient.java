import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The referee's protocol, so that a bot does not have to deal with it.
 *
 * <pre>
 * GothelloClient client = new GothelloClient("black", "localhost", 29068, "my bot");
 * Reply reply = client.play("c3");  // makes our move, and returns the referee's answer
 * Event event = client.next();      // waits for the opponent's move, or for the end of the game
 * </pre>
 *
 * Black moves first, so black starts with {@code play} and white with {@code next}. However the game ends, you receive
 * a {@code GameOver}, and later calls return it again.
 */
final class GothelloClient {
    /** What the opponent did, or a move of an opening: a Move, a Pass or GameOver. */
    interface Event {}

    /** The referee's answer to our move: Accepted, Refused or GameOver. */
    interface Reply {}

    /** How a game ended for us. The result is UNKNOWN if the game was broken off. */
    enum Result { WIN, LOSS, DRAW, UNKNOWN }

    static final class Move implements Event {
        final String point; // such as "c3"
        Move(String point) { this.point = point; }
    }

    static final class Pass implements Event {}

    static final class Accepted implements Reply {}

    /** It is still our turn, and our clock keeps running. */
    static final class Refused implements Reply {
        final String text;
        Refused(String text) { this.text = text; }
    }

    static final class GameOver implements Event, Reply {
        final Result result;
        final String text; // the referee's line
        GameOver(Result result, String text) { this.result = result; this.text = text; }
    }

    /** What the clock gives for each move, in seconds. Values that do not apply to a time control are 0. */
    static final class TimeControl {
        final double moveTime; // for each move
        final double increment; // added to the time after each move
        final double periods, period; // of byo-yomi: the number of periods, and the length of each
        TimeControl(double moveTime, double increment, double periods, double period) {
            this.moveTime = moveTime;
            this.increment = increment;
            this.periods = periods;
            this.period = period;
        }
    }

    private static final String VERSION = "0.9.2";
    private static final String OLD_VERSION = "0.9.1"; // older referees refuse the other one
    private static final int FIRST_PORT = 29068; // the port of server number 0

    /** "311 1 c3", "312 1 ... d4", and with clocks "313 1 c3 59": the move number, the move and the seconds. */
    private static final Pattern MOVED = Pattern.compile("\\d+ +(\\d+) +(?:\\.\\.\\. +)?(\\w+)(?: +(\\d+))?");
    private static final Pattern CODE = Pattern.compile("[0-9]{3}");
    private static final Pattern SECONDS = Pattern.compile("\\d+ +(\\d+)(?: +(\\d+))?");

    private BufferedReader in; // assembles lines: a read may return half a line or three lines
    private OutputStream out;  // not buffered: bytes are sent at once
    private String side;
    private int number = 1; // the number of our next move; both sides begin with 1
    private int told;
    private OptionalInt myTime = OptionalInt.empty();
    private OptionalInt opponentTime = OptionalInt.empty();
    // The arena sets these variables for a bot that it starts; line 347 says the same.
    private TimeControl timeControl =
        new TimeControl(given("MOVE_TIME"), given("INCREMENT"), given("PERIODS"), given("PERIOD"));
    private GameOver over;
    private String line = ""; // the referee's last line

    /**
     * Takes a seat, and waits until the game begins. {@code side} is "black", "white", or "?" for either; a
     * {@code port} from 0 to 29 is a server number; {@code name} may be empty. An IOException means that there is no
     * game for us.
     */
    GothelloClient(String side, String host, int port, String name) throws IOException {
        this.side = side;
        connect(host, port < 30 ? FIRST_PORT + port : port);
        int refusal = takeSeat(VERSION, name);
        if (refusal == 198) { // the referee is older, and has closed the connection
            connect(host, port < 30 ? FIRST_PORT + port : port);
            refusal = takeSeat(OLD_VERSION, name);
        }
        if (refusal != 0) throw new IOException("no seat: " + line);
    }

    private GothelloClient(String side, InputStream in, OutputStream out, String name) throws IOException {
        this.side = side;
        use(in, out);
        if (takeSeat(VERSION, name) != 0) throw new IOException("no seat: " + line);
    }

    /** The same with the referee at stdin and stdout. What the bot prints to System.out then goes to stderr. */
    static GothelloClient stdio(String side, String name) throws IOException {
        System.setOut(System.err);
        return new GothelloClient(side, System.in, new FileOutputStream(FileDescriptor.out), name);
    }

    private void connect(String host, int port) throws IOException {
        Socket socket = new Socket(host, port);
        socket.setTcpNoDelay(true); // our clock runs until the line arrives
        use(socket.getInputStream(), socket.getOutputStream());
    }

    private void use(InputStream in, OutputStream out) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        this.out = out;
    }

    /** Asks for a seat, and waits until the game begins. Returns the code of a refusal, or 0. */
    private int takeSeat(String version, String name) {
        for (int code = readCode(); code >= 0; code = readCode()) {
            if (code == 0) send(version + " player " + side + (name.isEmpty() ? "" : " " + quoted(name)));
            if (code / 10 == 19) return code;
            if (code == 351 || code == 352) {
                side = code == 351 ? "white" : "black";
                return 0;
            }
        }
        return 0;
    }

    /** A name in double quotes, in which a quote is doubled. It has up to 31 characters. */
    private static String quoted(String name) {
        String start = name.codePoints().limit(31)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append).toString();
        return '"' + start.replace("\"", "\"\"") + '"';
    }

    /** The side that we play, "black" or "white". */
    String side() { return side; }

    /** Whole seconds left, as last reported; empty in a game without clocks. */
    OptionalInt myTime() { return myTime; }

    OptionalInt opponentTime() { return opponentTime; }

    TimeControl timeControl() { return timeControl; }

    /** How many given moves, ours included, next() has yet to return, as in an opening. */
    int told() { return told; }

    Event next() {
        for (int code = readCode(); code >= 0; code = readCode()) {
            boolean isOwn = mover(code).equals(side);
            if (code < 311 || code > 318 || isOwn && told == 0) continue; // such as the echo of our own move
            Matcher fields = MOVED.matcher(line);
            if (!fields.lookingAt()) continue;
            if (!isOwn && fields.group(3) != null) opponentTime = seconds(fields.group(3));
            number = Integer.parseInt(fields.group(1)) + (isOwn || side.equals("black") ? 1 : 0);
            if (told > 0) told--;
            String move = fields.group(2);
            return move.equals("pass") ? new Pass() : new Move(move);
        }
        return over;
    }

    Reply play(String move) {
        if (over == null) send(number + (side.equals("white") ? " ... " : " ") + move);
        for (int code = readCode(); code >= 0; code = readCode()) {
            if (code == 200 || code == 207) return new Accepted();
            if (code == 291 || code == 299) return new Refused(line);
        }
        return over;
    }

    Reply pass() { return play("pass"); }

    Reply resign() { return play("resign"); }

    /** The side that made the move that a code from 311 to 318 reports. */
    private static String mover(int code) { return code % 2 == 1 ? "black" : "white"; }

    /** Reads a line and notes whether it ends the game, and our time. Returns the line's code, or -1 at the end. */
    private int readCode() {
        if (over != null) return -1;
        line = readLine();
        if (line == null) {
            over = new GameOver(Result.UNKNOWN, "the referee has closed the connection");
            return -1;
        }
        int code = Integer.parseInt(line.substring(0, 3));
        Matcher fields = SECONDS.matcher(line);
        if ((code == 101 || code == 207) && fields.lookingAt()) {
            myTime = seconds(fields.group(1));
            if (code == 101) opponentTime = seconds(fields.group(2)); // our own time comes first
        }
        if (code == 345) side = line.split(" ")[3].equals("1") ? "black" : "white"; // the game, its seats, and our seat
        if (code == 347) timeControl = timeControl(line, side);
        if (code == 349) told = Integer.parseInt(line.split(" ")[1]);
        Result result = resultOf(code);
        if (result != null) over = new GameOver(result, line);
        return over == null ? code : -1;
    }

    /** The next line that begins with a code, or null at the end. It ends with CR, LF or both. */
    private String readLine() {
        try {
            String text = in.readLine();
            while (text != null && !CODE.matcher(text).lookingAt()) text = in.readLine();
            return text;
        } catch (IOException gone) {
            return null;
        }
    }

    private void send(String text) {
        try {
            out.write((text + "\r").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException gone) {
            // The next read reports this, after the referee's last lines.
        }
    }

    private static OptionalInt seconds(String digits) {
        return digits == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(digits));
    }

    private static double given(String part) {
        return Double.parseDouble(System.getenv().getOrDefault("GOTHELLO_" + part, "0"));
    }

    /** The time control of a side in "347 60+1 is ...", or in "347 black 600:5x30 white 1/move+60bank is ...". */
    private static TimeControl timeControl(String line, String side) {
        String[] words = line.split(" ");
        String own = words[1].equals("black") ? words[side.equals("black") ? 2 : 4] : words[1];
        String[] parts = own.split("[/+:x]");
        // The remaining part of a bank is in myTime.
        if (own.contains("/move")) return new TimeControl(Double.parseDouble(parts[0]), 0, 0, 0);
        if (own.contains("+")) return new TimeControl(0, Double.parseDouble(parts[1]), 0, 0);
        if (!own.contains(":")) return new TimeControl(0, 0, 0, 0);
        return new TimeControl(0, 0, Double.parseDouble(parts[1]), Double.parseDouble(parts[2]));
    }

    /** The result if {@code code} ends the game, or null. Draws, resignations and fallen flags are ordinary endings. */
    private Result resultOf(int code) {
        switch (code) {
            case 201: return Result.WIN;
            case 202: case 204: return Result.LOSS; // 204: we resigned
            case 203: case 325: case 326: return Result.DRAW;
            case 321: case 324: case 327: case 361: case 392: return side.equals("black") ? Result.WIN : Result.LOSS;
            case 322: case 323: case 328: case 362: case 391: return side.equals("white") ? Result.WIN : Result.LOSS;
            case 399: return Result.UNKNOWN;
            default: return null;
        }
    }
}
