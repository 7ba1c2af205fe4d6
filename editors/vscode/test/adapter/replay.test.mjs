// `aback dap`, spoken to by the test support of the debug adapter protocol, with counterexamples in all three languages. ABACK names the
// program. Without a compiler of a language, its tests are skipped.

import { DebugClient } from "@vscode/debugadapter-testsupport";
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";

const ABACK = resolve(process.env.ABACK ?? "aback");
const THREAD = { threadId: 1 };
const root = mkdtempSync(join(tmpdir(), "aback-adapter-"));
after(() => rmSync(root, { recursive: true, force: true }));

// The same program in each language: the second call pushes a node onto a list, whose length is wrong then.
const PROGRAMS = [
  {
    file: "Stack.java",
    entry: "Stack.run",
    lines: { entry: 8, call: 9, push: 16, write: 17, fails: 11 },
    text: `public class Stack {
    static class Node {
        int value;
        Node next;
    }
    static int pushes;
    static void run(Node top, int x) {
        if (top == null || top.next != null) return;
        push(top, x);
        int length = pushes;
        assert top.next.value != 12 || length != 1;
    }
    static void push(Node top, int value) {
        Node node = new Node();
        node.value = value;
        top.next = node;
        pushes = pushes + 1;
    }
}
`,
  },
  {
    file: "Stack.cs",
    entry: "Stack.Run",
    lines: { entry: 8, call: 9, push: 16, write: 17, fails: 11 },
    text: `public class Node {
    public int Value;
    public Node Next;
}
public static class Stack {
    static int pushes;
    public static void Run(Node top, int x) {
        if (top == null || top.Next != null) return;
        Push(top, x);
        int length = pushes;
        System.Diagnostics.Debug.Assert(top.Next.Value != 12 || length != 1);
    }
    static void Push(Node top, int value) {
        Node node = new Node();
        node.Value = value;
        top.Next = node;
        pushes = pushes + 1;
    }
}
`,
  },
  {
    file: "Stack.oox",
    entry: "Stack.run",
    lines: { entry: 8, call: 9, push: 16, write: 17, fails: 11 },
    text: `class Node {
    int value;
    int pushes;
    Node next;
}
class Stack {
    static void run(Node top, int x) {
        assume top != null && top.next == null && top.pushes == 0;
        Stack.push(top, x);
        int length := top.pushes;
        assert top.next.value != 12 || length != 1;
    }
    static void push(Node top, int value) {
        Node node := new Node();
        node.value := value;
        top.next := node;
        top.pushes := top.pushes + 1;
    }
}
`,
  },
];

for (const { file, entry, lines, text } of PROGRAMS) {
  const path = join(root, file), witness = join(root, `${file}.json`);

  /** A client that has launched the counterexample; undefined if the language has no compiler here. */
  async function launched(context, settings = {}) {
    writeFileSync(path, text);
    const found = spawnSync(ABACK, ["check", path, "--entry", entry, "--timeout", "60", "--witness", witness], { encoding: "utf8" });
    if (/there is no (\.NET SDK|JDK)/.test(found.stderr)) {
      context.skip(found.stderr.trim());
      return undefined;
    }
    assert.equal(found.status, 1, found.stdout + found.stderr);
    const client = new DebugClient(ABACK, "dap", "aback", { cwd: root });
    await client.start();
    context.after(() => client.stop());
    return { client, configuration: { witness, ...settings } };
  }
  const stops = (client, reason, line) => client.assertStoppedLocation(reason, { path, line });
  const move = (client, request, reason, line) => Promise.all([client[`${request}Request`](THREAD), stops(client, reason, line)]);
  const variables = async (client, scope) => {
    const { stackFrames } = (await client.stackTraceRequest(THREAD)).body;
    const { scopes } = (await client.scopesRequest({ frameId: stackFrames[0].id })).body;
    const { variablesReference } = scopes.find(({ name }) => name === scope);
    return { variablesReference, found: (await client.variablesRequest({ variablesReference })).body.variables };
  };
  const textOf = (found, name) => found.find((row) => row.name === name)?.value;

  test(`${file}: to the violation and back`, async (context) => {
    const started = await launched(context);
    if (started === undefined) return;
    const { client, configuration } = started;
    await Promise.all([client.configurationSequence(), client.launch(configuration), stops(client, "entry", lines.entry)]);
    assert.equal(textOf((await variables(client, "Inputs")).found, "x"), "12");
    await move(client, "next", "step", lines.call);
    await move(client, "stepIn", "step", lines.call + 5);
    const { stackFrames, totalFrames } = (await client.stackTraceRequest(THREAD)).body;
    assert.equal(totalFrames, 2);
    assert.equal(stackFrames[1].line, lines.call);
    await move(client, "stepOut", "step", lines.call + 1);
    assert.equal(textOf((await variables(client, "Locals")).found, "x"), "12 (input)");
    await move(client, "continue", "exception", lines.fails);
    const { body } = await client.customRequest("exceptionInfo", THREAD);
    assert.equal(body.breakMode, "always");
    assert.match(body.description, /assert/);
    await move(client, "stepBack", "step", lines.fails - 1);
    await move(client, "reverseContinue", "entry", lines.entry);
    await client.customRequest("pause", THREAD);
    await assert.rejects(client.customRequest("dance", {}));
  });

  test(`${file}: breakpoints and data breakpoints`, async (context) => {
    const started = await launched(context, { stopOnEntry: false });
    if (started === undefined) return;
    const { client, configuration } = started;
    await client.hitBreakpoint(configuration, { path, line: lines.push });
    const { found } = await variables(client, "Locals");
    const top = found.find(({ name }) => name === "top");
    assert.match(top.value, /\(input\)$/);
    const next = (await client.variablesRequest({ variablesReference: top.variablesReference })).body.variables
      .find(({ name }) => name.toLowerCase() === "next");
    assert.equal(next.value, "null");
    const place = { variablesReference: top.variablesReference, name: next.name };
    const { dataId } = (await client.dataBreakpointInfoRequest(place)).body;
    await client.setBreakpointsRequest({ source: { path }, breakpoints: [] });
    await client.setDataBreakpointsRequest({ breakpoints: [{ dataId }] });
    // It has been written when control is at the next line, and the line that writes it is where a search back ends.
    await move(client, "continue", "data breakpoint", lines.write);
    await client.setDataBreakpointsRequest({ breakpoints: [] });
    await move(client, "continue", "exception", lines.fails);
    await client.setDataBreakpointsRequest({ breakpoints: [{ dataId }] });
    await move(client, "reverseContinue", "data breakpoint", lines.push);
    const value = await client.evaluateRequest({ expression: "node" });
    assert.match(value.body.result, /Node/);
    await assert.rejects(client.evaluateRequest({ expression: "nothing.here" }));
  });

  test(`${file}: sources that have changed`, async (context) => {
    const started = await launched(context);
    if (started === undefined) return;
    const { client, configuration } = started;
    writeFileSync(path, "");
    await client.initializeRequest();
    await assert.rejects(client.launchRequest(configuration), /asRecorded/);
    await client.launchRequest({ ...configuration, asRecorded: true });
    await Promise.all([client.configurationDoneRequest(), client.waitForEvent("stopped")]);
    const [{ source }] = (await client.stackTraceRequest(THREAD)).body.stackFrames;
    const { sourceReference } = source;
    assert.equal((await client.sourceRequest({ source, sourceReference })).body.content, text);
  });
}

test("the program is aback", () => {
  assert.match(execFileSync(ABACK, ["--version"], { encoding: "utf8" }), /^aback /);
});
