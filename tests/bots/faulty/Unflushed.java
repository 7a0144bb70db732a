import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.Socket;

/** D09: `true` flushes only after println. */
class Unflushed {
    public static void main(String[] args) throws Exception {
        Socket socket = new Socket(args[1], 29068 + Integer.parseInt(args[2]));
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
        PrintWriter out = new PrintWriter(socket.getOutputStream(), true);
        in.readLine();
        out.print("0.9.1 player " + args[0] + "\r\n");
        while (in.readLine() != null) {
            continue;
        }
    }
}
