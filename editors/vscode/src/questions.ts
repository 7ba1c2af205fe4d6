// The view of the questions, with the paths that answer them.

import * as vscode from "vscode";
import { Answer, explanationOf, Kind, summaryOf, titleOf } from "./answers";
import { Inquiry, Path, Spot } from "./inquiry";
import { below, belowPath, iconOf, identity, itemOfPath, itemOfRow, open, OUT_OF_DATE, Row, wordsFor } from "./items";
import { isSameProgram, onChange, save } from "./programs";
import { Server } from "./server";

export class Question extends Inquiry {
  /** Whether the program has changed since. */
  isOutOfDate = false;

  constructor(
    readonly kind: Kind,
    spot: Spot,
  ) {
    super(spot);
  }

  get title(): string {
    return titleOf(this.kind, `${this.file}:${this.spot.line}`);
  }
}

type Node = Question | Path | Row;

/** The questions, newest first. */
export class Questions implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view = vscode.window.createTreeView<Node>("aback.found", { treeDataProvider: this });
  private readonly status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  private readonly clock = setInterval(() => this.tick(), 1000);
  private readonly changes = onChange((uri, time) => this.outdate(uri, time));
  private questions: Question[] = [];
  server!: Server;

  constructor() {
    this.status.command = "aback.found.focus";
    this.status.name = "aback";
  }

  /** Asks a question. Its answer is shown here. */
  async ask(kind: Kind, spot: Spot): Promise<Answer | undefined> {
    if (!(await save(vscode.Uri.parse(spot.uri)))) return undefined;
    const isSame = (other: Question) => other.kind === kind && other.spot.uri === spot.uri && other.spot.line === spot.line;
    // The same question again takes the place of the one before.
    this.questions = this.questions.filter((other) => other.isRunning || !isSame(other));
    const question = new Question(kind, spot);
    this.questions.unshift(question);
    this.refresh();
    void this.view.reveal(question, { focus: false, select: false });
    const answer = await question.ask(this.server, `aback.${kind}`, spot, () => this.changed.fire(question));
    this.refresh();
    if (this.questions.includes(question)) void this.view.reveal(question, { focus: false, select: false });
    return answer;
  }

  again(question: Question): void {
    this.questions = this.questions.filter((other) => other !== question);
    void this.ask(question.kind, question.spot);
  }

  remove(node: Node): void {
    if (node instanceof Path) node.inquiry.paths = node.inquiry.paths.filter((path) => path !== node);
    this.questions = this.questions.filter((question) => question !== node);
    this.refresh();
  }

  removeAll(): void {
    this.questions = this.questions.filter((question) => question.isRunning);
    this.refresh();
  }

  forgetWitnesses(): void {
    for (const question of this.questions) question.forgetWitnesses();
    this.refresh();
  }

  /** Marks the questions that a change at a time concerns. */
  private outdate(uri: vscode.Uri, time: number): void {
    const isOld = (question: Question) => !question.isOutOfDate && question.asked < time && isSameProgram(question.uri, uri);
    const old = this.questions.filter(isOld);
    for (const question of old) question.isOutOfDate = true;
    if (old.length > 0) this.refresh();
  }

  /** Shows the time that running questions have spent. */
  private tick(): void {
    const running = this.questions.filter((question) => question.isRunning);
    for (const question of running) this.changed.fire(question);
    this.showStatus(running);
  }

  private refresh(): void {
    this.changed.fire(undefined);
    this.showStatus(this.questions.filter((question) => question.isRunning));
  }

  private showStatus(running: Question[]): void {
    const [newest] = running;
    if (newest === undefined) {
      this.status.hide();
      return;
    }
    const more = running.length > 1 ? ` (and ${running.length - 1} more)` : "";
    this.status.text = `$(sync~spin) ${newest.title} ${newest.spent}${more}`;
    this.status.show();
  }

  getParent(node: Node): Node | undefined {
    if (node instanceof Question) return undefined;
    return (node instanceof Path ? node.inquiry : node.above) as Node;
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) return this.questions;
    if (node instanceof Path) return belowPath(node);
    return node instanceof Row ? [] : below(node, node);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node instanceof Question) return this.itemOfQuestion(node);
    return node instanceof Path ? itemOfPath(node) : itemOfRow(node);
  }

  private itemOfQuestion(question: Question): vscode.TreeItem {
    const { state, isOutOfDate, kind } = question;
    const hasChildren = this.getChildren(question).length > 0;
    const item = new vscode.TreeItem(
      titleOf(kind, `line ${question.spot.line}`),
      hasChildren ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
    );
    item.id = identity(question, `${state.is} ${hasChildren}`);
    item.contextValue = state.is === "running" ? "running" : "question";
    const words = wordsFor(question, summaryOf);
    item.description = `${isOutOfDate && state.is === "answered" ? "out of date: " : ""}${words} ${question.file}`;
    item.iconPath = isOutOfDate ? OUT_OF_DATE : iconOf(question, kind === "reach" ? "executions" : "failures");
    item.tooltip = tooltipOf(question);
    item.command = open(question.uri, question.spot.line, 0);
    return item;
  }

  dispose(): void {
    clearInterval(this.clock);
    for (const question of this.questions) question.cancel();
    for (const owned of [this.view, this.status, this.changes, this.changed]) owned.dispose();
  }
}

function tooltipOf(question: Question): vscode.MarkdownString {
  const { state, title } = question;
  const old = question.isOutOfDate ? "\n\nThe program has changed since." : "";
  const text = state.is === "answered" ? explanationOf(title, state.answer) : `**${title}** ${wordsFor(question, summaryOf)}`;
  return new vscode.MarkdownString(text + old);
}
