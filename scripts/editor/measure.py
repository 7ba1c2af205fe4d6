#!/usr/bin/env python3
"""Measures `aback lsp` on a workspace of many classes: the time from a question to its answer, the memory of the
server and its workers, and the time from a save to the renewed diagnostics.

    scripts/editor/measure.py --aback target/release/aback --language java --classes 500
"""

import argparse
import json
import os
import queue
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

# A method of 30 lines with a loop, branches, an array and an assertion, and one that divides.
METHOD = """    public static int Settle(int[] amounts, int limit, int fee) {{
        if (amounts == null || amounts.{length} > 3) {{
            return 0;
        }}
        if (limit < 0 || limit > 1000) {{
            return -1;
        }}
        if (fee < 0 || fee > 10) {{
            return -2;
        }}
        int sum = 0;
        int kept = 0;
        for (int i = 0; i < amounts.{length}; i++) {{
            int amount = amounts[i];
            if (amount < 0) {{
                continue;
            }}
            if (amount > limit) {{
                amount = limit;
            }}
            sum += amount;
            kept++;
        }}
        int net = sum - kept * fee;
        if (net < 0) {{
            net = 0;
        }}
        {check}(net <= 3 * limit);
        {check}(net != 2991);
        return net;
    }}
    public static int Average(int total, int count) {{
        return {division};
    }}
"""
GUARDED, BARE = "count <= 0 ? 0 : total / count", "total / count"
LANGUAGES = {
    "java": ("java", "public class C{n} {{\n", "assert ", "length"),
    "csharp": ("cs", "public class C{n} {{\n", "System.Diagnostics.Debug.Assert", "Length"),
}
# The lines of the two assertions and of the division, from 1.
HOLDS, FAILS, DIVIDES = 29, 30, 34


def source(language: str, number: int, division: str = GUARDED) -> str:
    _, head, check, length = LANGUAGES[language]
    return head.format(n=number) + METHOD.format(check=check, length=length, division=division) + "}\n"


class Editor:
    """A client of the server."""

    def __init__(self, aback: str, environment: dict[str, str]):
        pipe = subprocess.PIPE
        self.server = subprocess.Popen([aback, "lsp"], stdin=pipe, stdout=pipe, env=environment)
        self.messages: queue.Queue = queue.Queue()
        self.requests = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            length = 0
            while line := self.server.stdout.readline().strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length == 0:
                return
            self.messages.put(json.loads(self.server.stdout.read(length)))

    def send(self, **message):
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.server.stdin.flush()

    def wait(self, is_it):
        while not is_it(message := self.messages.get(timeout=600)):
            pass
        return message

    def ask(self, method: str, params):
        self.requests += 1
        number = self.requests
        self.send(id=number, method=method, params=params)
        return self.wait(lambda message: message.get("id") == number and "method" not in message)

    def open(self, root: Path, file: Path, language: str):
        workspace = [{"uri": root.as_uri(), "name": "classes"}]
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}, "workspaceFolders": workspace,
                                "initializationOptions": {"timeout": 10}})
        self.send(method="initialized", params={})
        document = {"uri": file.as_uri(), "languageId": language, "version": 1, "text": file.read_text()}
        self.send(method="textDocument/didOpen", params={"textDocument": document})

    def close(self):
        self.ask("shutdown", None)
        self.send(method="exit")
        self.server.wait()

    def question(self, uri: str, line: int) -> tuple[float, str]:
        """Asks what can fail at a line. Returns the time in seconds and the answer."""
        start = time.monotonic()
        spot = {"uri": uri, "line": line}
        answer = self.ask("workspace/executeCommand", {"command": "aback.check", "arguments": [spot]})
        said = answer["result"]["said"] if "result" in answer else answer["error"]["message"]
        return time.monotonic() - start, said

    def memory(self) -> list[int]:
        """The memory of the server, and of its workers, in MB."""
        found = {}
        for line in subprocess.run(["ps", "-eo", "pid,ppid,rss"], capture_output=True, text=True).stdout.splitlines()[1:]:
            process, parent, size = map(int, line.split())
            if self.server.pid in (process, parent):
                found[process] = size // 1024
        return [found.pop(self.server.pid), *sorted(found.values())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aback", default="target/release/aback")
    parser.add_argument("--language", choices=LANGUAGES, default="java")
    parser.add_argument("--classes", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    language = arguments.language
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        suffix = LANGUAGES[language][0]
        files = [root / f"C{number}.{suffix}" for number in range(arguments.classes)]
        for number, file in enumerate(files):
            file.write_text(source(language, number))
        file = files[len(files) // 2]
        uri = file.as_uri()
        environment = {**os.environ, "XDG_CACHE_HOME": str(root / "caches")}
        editor = Editor(arguments.aback, environment)
        editor.open(root, file, language)
        seconds, said = editor.question(uri, HOLDS)
        print(f"{language}, {len(files)} classes: the first question takes {seconds:.2f} s ({said})")
        for line in (HOLDS, FAILS, DIVIDES):
            asked = [editor.question(uri, line) for _ in range(arguments.rounds)]
            times = [seconds for seconds, _ in asked]
            print(f"  line {line}: {statistics.median(times):.2f} s, at most {max(times):.2f} s ({asked[-1][1]})")
        print(f"  memory of the server and its workers: {editor.memory()} MB")
        text = source(language, len(files) // 2, BARE)
        start = time.monotonic()
        change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]}
        editor.send(method="textDocument/didChange", params=change)
        file.write_text(text)
        editor.send(method="textDocument/didSave", params={"textDocument": {"uri": uri}})
        editor.wait(lambda message: message.get("method") == "textDocument/publishDiagnostics"
                    and message["params"]["uri"] == uri
                    and any(found["range"]["start"]["line"] == DIVIDES - 1 and found.get("severity") == 2
                            for found in message["params"]["diagnostics"]))
        print(f"  from a save to the renewed diagnostics: {time.monotonic() - start:.2f} s")
        editor.close()
        editor = Editor(arguments.aback, environment)
        editor.open(root, file, language)
        seconds, said = editor.question(uri, HOLDS)
        print(f"  the first question after the server was started again: {seconds:.2f} s ({said})")
        editor.close()


if __name__ == "__main__":
    main()
