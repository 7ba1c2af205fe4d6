// The texts for answers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Answer, escaped, explanationOf, FoundPath, reasonsOf, rowsOf, soFar, summaryOf, titleOf, verdictOf } from "../../src/answers";

const path: FoundPath = {
  violation: {
    description: "assert can be false",
    place: { file: "/p/List.java", line: 3, column: 0 },
    entry: "List.add",
    shown_inputs: [{ name: "n", value: "5" }],
  },
  witness: "/w/1.json",
};

function answer(parts: Partial<Answer>): Answer {
  return { said: "holds", reason: "", bounds: [], assumptions: [], seconds: 0.25, paths: [], ...parts };
}

test("verdicts of all questions", () => {
  const of = (said: string, paths: FoundPath[] = []) => verdictOf(answer({ said, paths }));
  assert.equal(of("unknown", [path]), "found");
  assert.equal(of("reachable", [path]), "found");
  for (const said of ["holds", "unreachable", "never null"]) {
    assert.equal(of(said), "proof");
    assert.equal(of(`${said} within bounds`), "bounded");
  }
  assert.equal(of("unknown"), "unknown");
});

test("summaries", () => {
  assert.equal(summaryOf(answer({ paths: [path] })), "yes, 1 path (0.3 s)");
  assert.equal(summaryOf(answer({ paths: [path, path], seconds: 12.4 })), "yes, 2 paths (12 s)");
  assert.equal(summaryOf(answer({ seconds: 0.02 })), "no (< 0.1 s)");
  assert.equal(summaryOf(answer({ said: "holds within bounds" })), "not within bounds (0.3 s)");
});

test("what a question has come to", () => {
  assert.equal(soFar({ explored: { paths: 0, operations: 0 }, paths: [] }), "");
  assert.equal(soFar({ explored: { paths: 0, operations: 30 }, paths: [] }), "0 paths explored");
  assert.equal(soFar({ explored: { paths: 7, operations: 30 }, paths: [path] }), "1 path found");
});

test("reasons are shown where there is neither a proof nor a path", () => {
  assert.deepEqual(reasonsOf(answer({ said: "unknown", reason: "time" })), ["time"]);
  assert.deepEqual(reasonsOf(answer({ said: "holds within bounds", reason: "loop", bounds: ["loops: 5"] })), ["loops: 5"]);
  assert.deepEqual(reasonsOf(answer({ said: "unknown", reason: "time", paths: [path] })), []);
  assert.deepEqual(reasonsOf(answer({})), []);
});

test("explanations", () => {
  const proof = explanationOf(titleOf("check", "List.java:3"), answer({ assumptions: ["there is one thread"] }));
  assert.equal(proof, "**Can List\\.java:3 fail?** no \\(0\\.3 s\\)\n\nIt is assumed that\n\n- there is one thread");
  assert.match(explanationOf("", answer({ said: "unknown", paths: [path] })), /There may be other paths/);
  assert.equal(escaped("a[0] *b*"), "a\\[0\\] \\*b\\*");
});

test("rows of a path", () => {
  const violation = { ...path.violation, given: [{ method: "Verifier.nondetInt", type: "int", value: "7" }], made_by: ["List#1.add(5)"] };
  assert.deepEqual(rowsOf({ violation }), [
    { name: "n", value: "5" },
    { name: "Verifier.nondetInt()", value: "7" },
    { name: "made by", value: "List#1.add(5)" },
  ]);
});
