// What is asked about a line, and what it has come to.

import { basename } from "node:path";
import * as vscode from "vscode";
import { LSPErrorCodes, ResponseError } from "vscode-languageclient/node";
import { Answer, FoundPath, SoFar, soFar } from "./answers";
import { fileOf } from "./programs";
import { LANGUAGES, Server } from "./server";

/** The line that a question is about, counted from 1, as the server takes it. */
export interface Spot {
  uri: string;
  line: number;
  column?: number;
}

/** The place of the cursor. Without one in a program, users are told so. */
export function cursor(): Spot | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !LANGUAGES.includes(editor.document.languageId)) {
    void vscode.window.showInformationMessage("aback answers questions about files in Java, C# and OOX.");
    return undefined;
  }
  const { line, character } = editor.selection.active;
  return { uri: editor.document.uri.toString(), line: line + 1, column: character + 1 };
}

/** What an inquiry has come to. */
export type State =
  | { is: "running"; cancel: vscode.CancellationTokenSource }
  | { is: "answered"; answer: Answer }
  | { is: "ended"; why: "cancelled" | "out of date" }
  | { is: "failed"; reason: string };

export class Inquiry {
  readonly uri: vscode.Uri;
  readonly asked = Date.now();
  /** The name of the file. */
  readonly file: string;
  state: State = { is: "running", cancel: new vscode.CancellationTokenSource() };
  /** The paths that are shown, also those of a question that still runs. */
  paths: Path[] = [];
  /** What it has come to while it runs, in a few words. */
  private soFar = "";

  constructor(readonly spot: Spot) {
    this.uri = vscode.Uri.parse(spot.uri);
    this.file = basename(this.uri.fsPath);
  }

  /**
   * Asks the server. The result is the answer, if there is one.
   *
   * @param changed is called when more is known
   */
  async ask(server: Server, command: string, argument: object, changed: () => void = () => undefined): Promise<Answer | undefined> {
    if (this.state.is !== "running") return undefined;
    const { cancel } = this.state;
    const listen = (now: SoFar) => {
      this.soFar = soFar(now);
      this.show(now.paths);
      changed();
    };
    try {
      const answer = await server.command<Answer>(command, argument, cancel.token, listen);
      this.state = { is: "answered", answer };
      this.show(answer.paths);
      return answer;
    } catch (error) {
      this.state = stateAfter(error);
      return undefined;
    } finally {
      cancel.dispose();
    }
  }

  /** Shows these paths. Those that are shown already stay as they are. */
  private show(found: FoundPath[]): void {
    const known = this.paths;
    this.paths = found.map((path, at) => {
      const before = known[at];
      return before !== undefined && before.found.witness === path.witness ? before : new Path(this, path, at + 1);
    });
  }

  cancel(): void {
    if (this.state.is === "running") this.state.cancel.cancel();
  }

  get isRunning(): boolean {
    return this.state.is === "running";
  }

  /** The time that it has spent, and what it has come to. */
  get spent(): string {
    const limit = vscode.workspace.getConfiguration("aback").get("timeout", 10);
    const spent = `${Math.floor((Date.now() - this.asked) / 1000)} s of ${limit} s`;
    return this.soFar === "" ? spent : `${spent}, ${this.soFar}`;
  }

  /** The files with executions and tests go with the server that wrote them. */
  forgetWitnesses(): void {
    for (const { found } of this.paths) {
      delete found.witness;
      delete found.test;
    }
  }
}

/** A path that was found. */
export class Path {
  constructor(
    readonly inquiry: Inquiry,
    readonly found: FoundPath,
    readonly number: number,
  ) {}

  get uri(): vscode.Uri {
    return fileOf(this.found.violation.place, this.inquiry.uri);
  }
}

/** What an inquiry that has no answer has come to. */
function stateAfter(error: unknown): State {
  const code = error instanceof ResponseError ? error.code : undefined;
  if (code === LSPErrorCodes.RequestCancelled || error instanceof vscode.CancellationError) return { is: "ended", why: "cancelled" };
  if (code === LSPErrorCodes.ContentModified) return { is: "ended", why: "out of date" };
  return { is: "failed", reason: error instanceof Error ? error.message : String(error) };
}
