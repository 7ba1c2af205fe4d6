// The texts for the lines on a way back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionOf, conjunctsOf, hasTwin, labelOf, originOf, Stop } from "../../src/stops";

const place = (line: number) => ({ file: "/p/List.java", line, column: 0 });

function stop(parts: Partial<Stop>): Stop {
  return { node: 1, place: place(3), text: "x = 1;", is_start: false, before: [], condition: "true", ...parts };
}

test("lines", () => {
  assert.equal(labelOf(stop({}), "List.add(int)"), "List.java:3  x = 1;");
  assert.equal(labelOf(stop({ text: "a".repeat(25) }), "List.add(int)"), `List.java:3  ${"a".repeat(23)}…`);
  assert.equal(labelOf(stop({ is_start: true }), "List.add(int)"), "the start of List.add(int)");
});

test("what comes before tells apart stops at the same line", () => {
  const [one, other] = [stop({ before: [[place(2), 1]] }), stop({ before: [[place(5), 2], [place(2), 2], [place(5), 1]] })];
  assert.ok(hasTwin(one, [one, other]));
  assert.ok(!hasTwin(one, [one, stop({ place: place(4) })]));
  assert.equal(originOf(one), "after :2 #1");
  assert.equal(originOf(other), "after :5 #2 #1, :2 #2");
  assert.equal(originOf(stop({ before: [[{ ...place(5), file: "/p/Set.java" }, 1]] })), "after Set.java:5 #1");
  assert.equal(originOf(stop({})), "");
});

test("conditions", () => {
  assert.equal(conditionOf(stop({ condition: "x == 1" })), "if x == 1");
  assert.equal(conditionOf(stop({ condition: "" })), "the condition is unknown");
  assert.deepEqual(conjunctsOf("(a[f(1)] == 0) && ((b) || (c && d)) && e"), ["(a[f(1)] == 0)", "((b) || (c && d))", "e"]);
  assert.deepEqual(conjunctsOf("x == 1"), ["x == 1"]);
});
