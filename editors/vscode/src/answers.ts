// What the server answers, and how the tree shows it. Knows nothing of the editor.

import { Before } from "./stops";

/** What can be asked about a line; also the name of the server's command after `aback.`. */
export type Kind = "reach" | "check" | "null";

/** A place in a program, counted from 1; 0 where the column or the length are unknown. */
export interface Place {
  file: string;
  line: number;
  column: number;
  length?: number;
}

/** A path that was found, as `aback check --json` shows it, as far as the view needs it. */
export interface FoundPath {
  violation: {
    description: string;
    place: Place;
    entry: string;
    shown_inputs: { name: string; value: string }[];
    given?: { method: string; type: string; value: string }[];
    made_by?: string[];
  };
  /** The file with the execution, if it could be written. */
  witness?: string;
  /** The file with a unit test, if there is one for this path. */
  test?: string;
}

/** The answer to a question. */
export interface Answer {
  said: string;
  reason: string;
  bounds: string[];
  assumptions: string[];
  seconds: number;
  paths: FoundPath[];
  /** Where control comes from, if this was asked. */
  before?: Before;
}

/** What is known of an answer while the question runs. */
export interface SoFar {
  /** How many paths have been explored to their ends, and how many steps on all of them. */
  explored: { paths: number; operations: number };
  paths: FoundPath[];
}

/** What a question that runs has come to, in a few words. */
export function soFar({ explored, paths }: SoFar): string {
  if (paths.length > 0) return `${counted(paths.length, "path")} found`;
  return explored.operations > 0 ? `${counted(explored.paths, "path")} explored` : "";
}

/** What an answer is, whatever was asked. `bounded` is a proof that bounds leave executions out of. */
export type Verdict = "found" | "proof" | "bounded" | "unknown";

export function verdictOf(answer: Answer): Verdict {
  if (answer.paths.length > 0) return "found";
  if (answer.said.endsWith("within bounds")) return "bounded";
  return answer.said.startsWith("unknown") ? "unknown" : "proof";
}

/** The question about a place: `line 3`, or `List.java:3`. */
export function titleOf(kind: Kind, place: string): string {
  switch (kind) {
    case "reach":
      return `Can ${place} be reached?`;
    case "check":
      return `Can ${place} fail?`;
    case "null":
      return `Can it be null at ${place}?`;
  }
}

export function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

export function time(seconds: number): string {
  if (seconds < 0.1) return "< 0.1 s";
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}

/** The answer in a few words, with its time. */
export function summaryOf(answer: Answer): string {
  const said = {
    found: `yes, ${counted(answer.paths.length, "path")}`,
    proof: "no",
    bounded: "not within bounds",
    unknown: "unknown",
  };
  return `${said[verdictOf(answer)]} (${time(answer.seconds)})`;
}

/** Whether an execution goes a way, in a few words, with the time. */
export function summaryOfWay(answer: Answer): string {
  const isProof = verdictOf(answer) === "proof";
  return isProof ? `no execution goes this way (${time(answer.seconds)})` : summaryOf(answer);
}

/** Why an answer is no proof, one reason a line. */
export function reasonsOf(answer: Answer): string[] {
  switch (verdictOf(answer)) {
    case "unknown":
      return answer.reason === "" ? [] : [answer.reason];
    case "bounded":
      return answer.bounds.length > 0 ? answer.bounds : [answer.reason].filter((reason) => reason !== "");
    default:
      return [];
  }
}

/** What explains an answer, in Markdown. */
export function explanationOf(title: string, answer: Answer): string {
  const list = (head: string, items: string[]) =>
    items.length === 0 ? "" : `\n\n${head}\n${items.map((item) => `\n- ${escaped(item)}`).join("")}`;
  const rest = answer.paths.length > 0 && answer.said.startsWith("unknown") ? "\n\nThere may be other paths." : "";
  const reason = answer.reason === "" || answer.paths.length > 0 ? "" : `\n\n${escaped(answer.reason)}`;
  return (
    `**${escaped(title)}** ${escaped(summaryOf(answer))}${rest}${reason}` +
    list("Bounds leave out:", answer.bounds) +
    list("It is assumed that", answer.assumptions)
  );
}

/** Text that Markdown shows as it is. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>()#+\-.!|~]/g, "\\$&");
}

/** The rows below a path: its inputs, what the program asked for, and the calls that make the inputs. */
export function rowsOf(path: FoundPath): { name: string; value: string }[] {
  const { shown_inputs, given = [], made_by = [] } = path.violation;
  const returned = given.map(({ method, value }) => ({ name: `${method}()`, value }));
  const made = made_by.map((call) => ({ name: "made by", value: call }));
  return [...shown_inputs, ...returned, ...made];
}
