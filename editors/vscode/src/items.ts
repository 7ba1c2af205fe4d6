// How the views show inquiries and paths.

import { basename } from "node:path";
import * as vscode from "vscode";
import { Answer, reasonsOf, rowsOf, verdictOf } from "./answers";
import { Inquiry, Path } from "./inquiry";
import { short } from "./programs";

/** A line of text below something else. */
export class Row {
  constructor(
    readonly above: object,
    readonly label: string,
    readonly detail: string,
    readonly icon: string,
  ) {}
}

const numbers = new WeakMap<object, number>();
let count = 0;

/** An identity for a view. What may be opened in one state and not in another has one for each. */
export function identity(node: object, state = ""): string {
  if (!numbers.has(node)) numbers.set(node, count++);
  return `${numbers.get(node)} ${state}`;
}

/** What is below an inquiry: the paths, and reasons. `above` is what shows it. */
export function below(inquiry: Inquiry, above: object): (Path | Row)[] {
  const row = (text: string) => new Row(above, short(text, inquiry.uri), "", "info");
  if (inquiry.state.is === "failed") return [row(inquiry.state.reason)];
  return [...inquiry.paths, ...(inquiry.state.is === "answered" ? reasonsOf(inquiry.state.answer).map(row) : [])];
}

/** What is below a path: the entry point and the inputs. */
export function belowPath(path: Path): Row[] {
  const rows = rowsOf(path.found).map(({ name, value }) => new Row(path, name, `= ${value}`, "symbol-variable"));
  return [new Row(path, `from ${path.found.violation.entry}`, "", "symbol-method"), ...rows];
}

/** What an inquiry has come to, in a few words. `summary` says what an answer is. */
export function wordsFor(inquiry: Inquiry, summary: (answer: Answer) => string): string {
  const { state } = inquiry;
  switch (state.is) {
    case "running":
      return inquiry.spent;
    case "answered":
      return summary(state.answer);
    case "ended":
      return state.why;
    case "failed":
      return "no answer";
  }
}

/** `seeks` is what is looked for: an execution that fails, or any. */
export function iconOf({ state }: Inquiry, seeks: "failures" | "executions"): vscode.ThemeIcon {
  const icon = (name: string, color: string) => new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
  if (state.is === "running") return new vscode.ThemeIcon("loading~spin");
  if (state.is !== "answered") return icon("circle-slash", "disabledForeground");
  switch (verdictOf(state.answer)) {
    case "found":
      return seeks === "executions" ? icon("target", "charts.blue") : icon("error", "testing.iconFailed");
    case "proof":
      return icon("pass-filled", "testing.iconPassed");
    case "bounded":
      return icon("pass", "testing.iconPassed");
    case "unknown":
      return icon("question", "charts.yellow");
  }
}

/** The icon of what is about a program that has changed since. */
export const OUT_OF_DATE = new vscode.ThemeIcon("history", new vscode.ThemeColor("disabledForeground"));

export function itemOfPath(path: Path): vscode.TreeItem {
  const { violation, witness, test } = path.found;
  const inputs = rowsOf(path.found).map(({ name, value }) => `${name} = ${value}`);
  const isOnly = path.inquiry.paths.length === 1;
  const item = new vscode.TreeItem(
    isOnly ? violation.description : `${path.number}. ${violation.description}`,
    path.inquiry.paths[0] === path ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
  );
  item.id = identity(path);
  item.contextValue = ["path", ...(witness === undefined ? [] : ["witness"]), ...(test === undefined ? [] : ["test"])].join(" ");
  item.description = inputs.join(", ");
  item.iconPath = new vscode.ThemeIcon("git-commit");
  item.command = open(path.uri, violation.place.line, violation.place.column);
  const place = `${basename(path.uri.fsPath)}:${violation.place.line}`;
  const gone = witness === undefined ? ["To replay it, ask again: its execution has gone with the server that found it."] : [];
  item.tooltip = [`${violation.description} (${place})`, `from ${violation.entry}`, ...inputs, ...gone].join("\n");
  return item;
}

export function itemOfRow(row: Row): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label);
  item.description = row.detail;
  item.iconPath = new vscode.ThemeIcon(row.icon);
  item.tooltip = `${row.label} ${row.detail}`.trim();
  return item;
}

/** A command that opens a place, counted from 1. */
export function open(uri: vscode.Uri, line: number, column: number): vscode.Command {
  const at = new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1));
  return { title: "Go to the place", command: "vscode.open", arguments: [uri, { selection: new vscode.Range(at, at) }] };
}
