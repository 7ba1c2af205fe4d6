// The view of the questions, with the paths that answer them.

import { basename, isAbsolute } from "node:path";
import * as vscode from "vscode";
import { LSPErrorCodes, ResponseError } from "vscode-languageclient/node";
import { Answer, explanationOf, FoundPath, Kind, Place, reasonsOf, rowsOf, summaryOf, titleOf, verdictOf } from "./answers";
import { LANGUAGES, Server } from "./server";

/** The line that a question is about, counted from 1, as the server takes it. */
export interface Spot {
  uri: string;
  line: number;
  column?: number;
}

/** What a question has come to. */
type State =
  | { is: "running"; cancel: vscode.CancellationTokenSource }
  | { is: "answered"; answer: Answer }
  | { is: "ended"; why: "cancelled" | "out of date" }
  | { is: "failed"; reason: string };

export class Question {
  readonly uri: vscode.Uri;
  readonly asked = Date.now();
  /** The name of the file. */
  readonly file: string;
  state: State = { is: "running", cancel: new vscode.CancellationTokenSource() };
  /** Whether the program has changed since. */
  isOutOfDate = false;
  /** The paths that are shown. */
  paths: Path[] = [];

  constructor(
    readonly kind: Kind,
    readonly spot: Spot,
  ) {
    this.uri = vscode.Uri.parse(spot.uri);
    this.file = basename(this.uri.fsPath);
  }

  get title(): string {
    return titleOf(this.kind, `${this.file}:${this.spot.line}`);
  }

  /** A text without the folder of the program, which is too long for the view. */
  short(text: string): string {
    const folder = vscode.workspace.getWorkspaceFolder(this.uri)?.uri ?? vscode.Uri.joinPath(this.uri, "..");
    return text.replaceAll(`${folder.fsPath}/`, "");
  }

  /** Whether a document belongs to the program in question. A file in OOX is a program of its own. */
  concerns(document: vscode.Uri): boolean {
    if (document.toString() === this.uri.toString()) return true;
    const isOox = (uri: vscode.Uri) => uri.path.endsWith(".oox");
    const folder = vscode.workspace.getWorkspaceFolder(this.uri);
    return !isOox(this.uri) && !isOox(document) && folder !== undefined && folder === vscode.workspace.getWorkspaceFolder(document);
  }
}

/** A path that was found. */
export class Path {
  constructor(
    readonly question: Question,
    readonly found: FoundPath,
    readonly number: number,
  ) {}

  get uri(): vscode.Uri {
    return fileOf(this.found.violation.place, this.question);
  }
}

/** A line of text below a question or a path. */
class Row {
  constructor(
    readonly above: Question | Path,
    readonly label: string,
    readonly detail: string,
    readonly icon: string,
  ) {}
}

type Node = Question | Path | Row;

/** The questions, newest first. */
export class Questions implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view = vscode.window.createTreeView<Node>("aback.found", { treeDataProvider: this });
  private readonly status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  private readonly clock = setInterval(() => this.tick(), 1000);
  private readonly watcher = vscode.workspace.createFileSystemWatcher("**/*.{java,cs,oox}");
  private readonly numbers = new WeakMap<Node, number>();
  private count = 0;
  private questions: Question[] = [];
  server!: Server;

  constructor() {
    this.status.command = "aback.found.focus";
    this.status.name = "aback";
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.contentChanges.length > 0) this.outdate(event.document.uri);
    });
    const written = async (uri: vscode.Uri) => {
      const time = await vscode.workspace.fs.stat(uri).then((file) => file.mtime, () => Date.now());
      this.outdate(uri, time);
    };
    this.watcher.onDidChange(written);
    this.watcher.onDidCreate(written);
    this.watcher.onDidDelete(written);
  }

  /** Asks about the line at the cursor. */
  async askAtCursor(kind: Kind): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !LANGUAGES.includes(editor.document.languageId)) {
      void vscode.window.showInformationMessage("aback answers questions about files in Java, C# and OOX.");
      return;
    }
    const { line, character } = editor.selection.active;
    await this.ask(kind, { uri: editor.document.uri.toString(), line: line + 1, column: character + 1 });
  }

  /** Asks a question. Its answer is shown here. */
  async ask(kind: Kind, spot: Spot): Promise<Answer | undefined> {
    // The server knows what is saved.
    const document = vscode.workspace.textDocuments.find((document) => document.uri.toString() === vscode.Uri.parse(spot.uri).toString());
    if (document?.isDirty && !(await document.save())) return undefined;
    const isSame = (other: Question) => other.kind === kind && other.spot.uri === spot.uri && other.spot.line === spot.line;
    const isRunning = (other: Question) => other.state.is === "running";
    // The same question again takes the place of the one before.
    this.questions = this.questions.filter((other) => isRunning(other) || !isSame(other));
    const question = new Question(kind, spot);
    this.questions.unshift(question);
    this.refresh();
    void this.view.reveal(question, { focus: false, select: false });
    if (question.state.is !== "running") return undefined;
    const { cancel } = question.state;
    try {
      const answer = await this.server.command<Answer>(`aback.${kind}`, spot, cancel.token);
      question.state = { is: "answered", answer };
      question.paths = answer.paths.map((path, at) => new Path(question, path, at + 1));
      return answer;
    } catch (error) {
      question.state = stateAfter(error);
      return undefined;
    } finally {
      cancel.dispose();
      this.refresh();
      if (this.questions.includes(question)) void this.view.reveal(question, { focus: false, select: false });
    }
  }

  again(question: Question): void {
    this.questions = this.questions.filter((other) => other !== question);
    void this.ask(question.kind, question.spot);
  }

  cancel(question: Question): void {
    if (question.state.is === "running") question.state.cancel.cancel();
  }

  remove(node: Node): void {
    if (node instanceof Path) node.question.paths = node.question.paths.filter((path) => path !== node);
    this.questions = this.questions.filter((question) => question !== node);
    this.refresh();
  }

  removeAll(): void {
    this.questions = this.questions.filter((question) => question.state.is === "running");
    this.refresh();
  }

  /** The files with executions and tests go with the server that wrote them. */
  forgetWitnesses(): void {
    for (const { found } of this.questions.flatMap((question) => question.paths)) {
      delete found.witness;
      delete found.test;
    }
    this.refresh();
  }

  /** Marks the questions that a change at a time concerns. */
  private outdate(uri: vscode.Uri, time = Date.now()): void {
    const old = this.questions.filter((question) => !question.isOutOfDate && question.asked < time && question.concerns(uri));
    for (const question of old) question.isOutOfDate = true;
    if (old.length > 0) this.refresh();
  }

  /** Shows the time that running questions have spent. */
  private tick(): void {
    const running = this.questions.filter((question) => question.state.is === "running");
    for (const question of running) this.changed.fire(question);
    this.showStatus(running);
  }

  private refresh(): void {
    this.changed.fire(undefined);
    this.showStatus(this.questions.filter((question) => question.state.is === "running"));
  }

  private showStatus(running: Question[]): void {
    const [newest] = running;
    if (newest === undefined) {
      this.status.hide();
      return;
    }
    const more = running.length > 1 ? ` (and ${running.length - 1} more)` : "";
    this.status.text = `$(sync~spin) ${newest.title} ${spent(newest)}${more}`;
    this.status.show();
  }

  getParent(node: Node): Node | undefined {
    if (node instanceof Question) return undefined;
    return node instanceof Path ? node.question : node.above;
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) return this.questions;
    if (node instanceof Path) {
      const rows = rowsOf(node.found).map(({ name, value }) => new Row(node, name, `= ${value}`, "symbol-variable"));
      return [new Row(node, `from ${node.found.violation.entry}`, "", "symbol-method"), ...rows];
    }
    if (node instanceof Row) return [];
    if (node.state.is === "failed") return [new Row(node, node.short(node.state.reason), "", "info")];
    if (node.state.is !== "answered") return [];
    return [...node.paths, ...reasonsOf(node.state.answer).map((reason) => new Row(node, node.short(reason), "", "info"))];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node instanceof Question) return this.itemOfQuestion(node);
    return node instanceof Path ? this.itemOfPath(node) : itemOfRow(node);
  }

  /** An identity for the view. What may be opened in one state and not in another has one for each. */
  private identity(node: Node, state = ""): string {
    if (!this.numbers.has(node)) this.numbers.set(node, this.count++);
    return `${this.numbers.get(node)} ${state}`;
  }

  private itemOfQuestion(question: Question): vscode.TreeItem {
    const { state, isOutOfDate } = question;
    const hasChildren = this.getChildren(question).length > 0;
    const item = new vscode.TreeItem(
      titleOf(question.kind, `line ${question.spot.line}`),
      hasChildren ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
    );
    item.id = this.identity(question, state.is);
    item.contextValue = state.is === "running" ? "running" : "question";
    item.description = `${isOutOfDate && state.is === "answered" ? "out of date: " : ""}${wordsFor(question)} ${question.file}`;
    item.iconPath = isOutOfDate ? new vscode.ThemeIcon("history", new vscode.ThemeColor("disabledForeground")) : iconOf(question);
    item.tooltip = tooltipOf(question);
    item.command = open(question.uri, question.spot.line, 0);
    return item;
  }

  private itemOfPath(path: Path): vscode.TreeItem {
    const { violation, witness, test } = path.found;
    const inputs = rowsOf(path.found).map(({ name, value }) => `${name} = ${value}`);
    const isOnly = path.question.paths.length === 1;
    const item = new vscode.TreeItem(
      isOnly ? violation.description : `${path.number}. ${violation.description}`,
      path.question.paths[0] === path ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
    );
    item.id = this.identity(path);
    item.contextValue = ["path", ...(witness === undefined ? [] : ["witness"]), ...(test === undefined ? [] : ["test"])].join(" ");
    item.description = inputs.join(", ");
    item.iconPath = new vscode.ThemeIcon("git-commit");
    item.command = open(path.uri, violation.place.line, violation.place.column);
    const place = `${basename(path.uri.fsPath)}:${violation.place.line}`;
    const gone = witness === undefined ? ["To replay it, ask again: its execution has gone with the server that found it."] : [];
    item.tooltip = [`${violation.description} (${place})`, `from ${violation.entry}`, ...inputs, ...gone].join("\n");
    return item;
  }

  dispose(): void {
    clearInterval(this.clock);
    for (const question of this.questions) this.cancel(question);
    for (const owned of [this.view, this.status, this.watcher, this.changed]) owned.dispose();
  }
}

/** What a question that has no answer has come to. */
function stateAfter(error: unknown): State {
  const code = error instanceof ResponseError ? error.code : undefined;
  if (code === LSPErrorCodes.RequestCancelled || error instanceof vscode.CancellationError) return { is: "ended", why: "cancelled" };
  if (code === LSPErrorCodes.ContentModified) return { is: "ended", why: "out of date" };
  return { is: "failed", reason: error instanceof Error ? error.message : String(error) };
}

function wordsFor(question: Question): string {
  const { state } = question;
  switch (state.is) {
    case "running":
      return spent(question);
    case "answered":
      return summaryOf(state.answer);
    case "ended":
      return state.why;
    case "failed":
      return "no answer";
  }
}

/** The time that a running question has spent. */
function spent(question: Question): string {
  const limit = vscode.workspace.getConfiguration("aback").get("timeout", 10);
  return `${Math.floor((Date.now() - question.asked) / 1000)} s of ${limit} s`;
}

function iconOf({ kind, state }: Question): vscode.ThemeIcon {
  const icon = (name: string, color: string) => new vscode.ThemeIcon(name, new vscode.ThemeColor(color));
  if (state.is === "running") return new vscode.ThemeIcon("loading~spin");
  if (state.is !== "answered") return icon("circle-slash", "disabledForeground");
  switch (verdictOf(state.answer)) {
    case "found":
      return kind === "reach" ? icon("target", "charts.blue") : icon("error", "testing.iconFailed");
    case "proof":
      return icon("pass-filled", "testing.iconPassed");
    case "bounded":
      return icon("pass", "testing.iconPassed");
    case "unknown":
      return icon("question", "charts.yellow");
  }
}

function tooltipOf(question: Question): vscode.MarkdownString {
  const { state, title } = question;
  const old = question.isOutOfDate ? "\n\nThe program has changed since." : "";
  const text = state.is === "answered" ? explanationOf(title, state.answer) : `**${title}** ${wordsFor(question)}`;
  return new vscode.MarkdownString(text + old);
}

function itemOfRow(row: Row): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label);
  item.description = row.detail;
  item.iconPath = new vscode.ThemeIcon(row.icon);
  item.tooltip = `${row.label} ${row.detail}`.trim();
  return item;
}

/** A command that opens a place, counted from 1. */
function open(uri: vscode.Uri, line: number, column: number): vscode.Command {
  const at = new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1));
  return { title: "Go to the place", command: "vscode.open", arguments: [uri, { selection: new vscode.Range(at, at) }] };
}

/** The file of a place. Class files name their sources without the folders above the packages. */
function fileOf(place: Place, question: Question): vscode.Uri {
  if (isAbsolute(place.file)) return vscode.Uri.file(place.file);
  if (question.uri.path.endsWith(`/${place.file}`)) return question.uri;
  const folder = vscode.workspace.getWorkspaceFolder(question.uri);
  return folder === undefined ? question.uri : vscode.Uri.joinPath(folder.uri, place.file);
}
