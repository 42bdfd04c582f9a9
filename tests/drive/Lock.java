import java.io.*;
import java.net.*;
import java.util.*;
/** A lock with the JVM and nothing else: SET NX PX, then DEL. The lease is long enough for it. */
public class Lock {
    public static void main(String[] args) throws Exception {
        Socket s = new Socket("127.0.0.1", 6379);
        BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
        OutputStream out = s.getOutputStream();
        String me = UUID.randomUUID().toString();
        while (true) {
            out.write(("set lock " + me + " nx px 1000\r\n").getBytes());
            if (in.readLine().startsWith("+")) break;
            Thread.sleep(100);
        }
        System.out.println("enter");
        Thread.sleep(50);
        System.out.println("leave");
        out.write("del lock\r\n".getBytes());
        in.readLine();
    }
}
