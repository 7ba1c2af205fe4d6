import java.io.*;
import java.util.Arrays;
import java.util.concurrent.Executors;
import javax.tools.Tool;
import javax.tools.ToolProvider;

/** Runs javac for requests on standard input, which `with-compilers.sh` describes. */
class Server {
    public static void main(String[] args) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var threads = Executors.newCachedThreadPool();
        var requests = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = requests.readLine()) != null; ) {
            var request = line.split("\t");
            threads.execute(() -> answer(compiler, request));
        }
        System.exit(0);
    }

    private static void answer(Tool compiler, String[] request) {
        var said = new ByteArrayOutputStream();
        String status;
        try {
            status = String.valueOf(compiler.run(null, said, said, request[1]));
        } catch (Throwable failure) {
            failure.printStackTrace();
            status = "failed";
        }
        try (var answer = new FileOutputStream(request[2])) {
            answer.write((status + "\n").getBytes());
            said.writeTo(answer);
        } catch (IOException gone) {
            // Whoever asked was stopped.
        }
    }
}
