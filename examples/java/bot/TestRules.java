import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks Rules against positions whose answers are known: java -cp classes TestRules vectors.json
 *
 * A line is a JSON object of strings: a "board", the side "to_move", all "legal" points, and a "move", which leads to
 * the board "after".
 */
final class TestRules {
    private TestRules() {}

    /** The string under a key; the strings contain no escapes. */
    private static String value(String line, String key) {
        Matcher matcher = Pattern.compile('"' + key + "\" *: *\"([^\"]*)\"").matcher(line);
        if (!matcher.find()) throw new IllegalArgumentException("no \"" + key + "\" in " + line);
        return matcher.group(1);
    }

    private static String legalPoints(char[] board, char side) {
        StringBuilder names = new StringBuilder();
        for (int point : Rules.legalPoints(board, side)) names.append(' ').append(Rules.name(point));
        return sorted(names.toString());
    }

    private static String sorted(String names) {
        String[] words = names.trim().split(" +");
        Arrays.sort(words);
        return String.join(" ", words);
    }

    private static boolean isEqual(String line, String what, String expected, String found) {
        if (expected.equals(found)) return true;
        System.out.printf("%s%n  %s should be %s, but is %s%n", line, what, expected, found);
        return false;
    }

    private static boolean isRight(String line) {
        char[] board = value(line, "board").toCharArray();
        char side = value(line, "to_move").charAt(0);
        String move = value(line, "move");
        char[] after = move.equals("pass") ? board : Rules.play(board, side, Rules.point(move));
        return isEqual(line, "legal", sorted(value(line, "legal")), legalPoints(board, side))
            & isEqual(line, "after", value(line, "after"), new String(after));
    }

    public static void main(String[] args) throws IOException {
        int positions = 0, wrong = 0;
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            if (!line.contains("\"board\"")) continue; // a bracket
            positions++;
            if (!isRight(line)) wrong++;
        }
        System.out.println(positions + " positions, " + wrong + " wrong");
        System.exit(positions == 0 || wrong > 0 ? 1 : 0);
    }
}
