import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A bot that only passes, with hard-coded localhost and server 0. Usage: java Passing SIDE. */
public class Passing {
    public static void main(String[] args) throws Exception {
        boolean black = args[0].equals("black");
        try (Socket referee = new Socket("localhost", 29068)) {
            OutputStream out = referee.getOutputStream();
            BufferedReader in =
                new BufferedReader(new InputStreamReader(referee.getInputStream(), StandardCharsets.UTF_8));
            out.write(("0.9.1 player " + args[0] + "\r\n").getBytes(StandardCharsets.UTF_8));
            int number = 1;
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                int code = Integer.parseInt(line.substring(0, 3));
                boolean moved = code >= 311 && code <= 318;
                // Black's moves have odd codes.
                boolean mine = moved && (code % 2 == 1) == black;
                if (mine) number++;
                if (code == 352 || (moved && !mine)) {
                    String pass = number + (black ? " pass\r\n" : " ... pass\r\n");
                    out.write(pass.getBytes(StandardCharsets.UTF_8));
                }
            }
        }
    }
}
