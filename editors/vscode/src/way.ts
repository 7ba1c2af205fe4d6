// The view of a way back from a line: users choose by hand from where control comes.

import * as vscode from "vscode";
import { escaped, explanationOf, summaryOfWay } from "./answers";
import { Inquiry, Path, Spot } from "./inquiry";
import { below, belowPath, iconOf, identity, itemOfPath, itemOfRow, OUT_OF_DATE, Row, wordsFor } from "./items";
import { fileOf, isSameProgram, onChange, save } from "./programs";
import { Server } from "./server";
import { conditionOf, conjunctsOf, hasTwin, labelOf, lineAt, nameOf, originOf, Stop } from "./stops";

/** The most characters of a condition beside a line. The tooltip has all of it. */
const MOST_SHOWN = 300;

/** A decoration at the chosen lines. */
const MARK = {
  isWholeLine: true,
  backgroundColor: new vscode.ThemeColor("editor.selectionHighlightBackground"),
  overviewRulerColor: new vscode.ThemeColor("charts.blue"),
  after: { margin: "0 0 0 2em", color: new vscode.ThemeColor("charts.blue") },
};

/** The line in question, an entry point, or a line before it. */
export class Step {
  /** The request for what is before it. */
  search: Inquiry | undefined;
  /** What is before it, once that is known. */
  before: Step[] | undefined;
  /** The question whether an execution goes this way. */
  probe: Probe | undefined;

  constructor(
    readonly above: Step | undefined,
    /** The entry point, once it is chosen. */
    public entry?: string,
    readonly stop?: Stop,
    /** Whether another stop beside it is at the same line. */
    readonly hasTwin = false,
  ) {}

  /** The steps from the line in question to this one. */
  get chosen(): Step[] {
    return [...(this.above?.chosen ?? []), this];
  }

  get running(): Inquiry | undefined {
    return [this.search, this.probe].find((inquiry) => inquiry?.isRunning);
  }

  /** All that is known from here on. */
  get all(): Step[] {
    return [this, ...(this.before ?? []).flatMap((step) => step.all)];
  }

  cancel(): void {
    this.search?.cancel();
    this.probe?.cancel();
  }
}

/** Whether an execution goes along the lines to a step. */
class Probe extends Inquiry {
  constructor(
    spot: Spot,
    readonly step: Step,
  ) {
    super(spot);
  }
}

/** A way back from a line. */
interface Way {
  spot: Spot;
  uri: vscode.Uri;
  /** Whether it goes back from what fails at the line. */
  fails: boolean;
  /** The text of the line. */
  text: string;
  started: number;
  root: Step;
  /** Whether nothing more can be asked: the numbers of lines are another program's. */
  isOutOfDate: boolean;
}

type Node = Step | Path | Row;

export class WayBack implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view = vscode.window.createTreeView<Node>("aback.way", { treeDataProvider: this });
  private readonly clock = setInterval(() => this.tick(), 1000);
  private readonly mark: vscode.TextEditorDecorationType;
  private readonly registered: vscode.Disposable[];
  private way: Way | undefined;
  /** The step whose lines are marked. */
  private shown: Step | undefined;

  constructor(
    private readonly server: Server,
    arrow: vscode.Uri,
  ) {
    this.mark = vscode.window.createTextEditorDecorationType({ ...MARK, gutterIconPath: arrow, gutterIconSize: "contain" });
    this.registered = [
      onChange((uri, time) => {
        const { way } = this;
        if (way !== undefined && way.started < time && isSameProgram(way.uri, uri)) this.outdate();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.showMarks()),
    ];
  }

  /** Goes back from a line, or from what fails there. */
  async start(spot: Spot, fails: boolean): Promise<void> {
    const uri = vscode.Uri.parse(spot.uri);
    if (!(await save(uri))) return;
    const document = await vscode.workspace.openTextDocument(uri);
    const text = spot.line <= document.lineCount ? document.lineAt(spot.line - 1).text.trim() : "";
    this.remove();
    const root = new Step(undefined);
    this.way = { spot, uri, fails, text, started: Date.now(), root, isOutOfDate: false };
    this.shown = root;
    this.showMarks();
    this.changed.fire(undefined);
    await this.view.reveal(root, { focus: false, select: false });
  }

  /** Asks again for what is before a step; for everything if the step is the line in question, or the program has changed. */
  async again(step: Step): Promise<void> {
    const { way } = this;
    if (way === undefined) return;
    if (way.isOutOfDate || step === way.root) return await this.start(way.spot, way.fails);
    step.search = step.before = undefined;
    this.changed.fire(step);
  }

  remove(): void {
    this.way?.root.all.forEach((step) => step.cancel());
    this.way = this.shown = undefined;
    this.view.message = undefined;
    this.showMarks();
    this.changed.fire(undefined);
  }

  cancel(step: Step): void {
    step.cancel();
  }

  /** Asks whether an execution goes along the lines to a step. */
  async ask(step: Step): Promise<void> {
    const { way } = this;
    if (way === undefined || way.isOutOfDate) return;
    const probe = new Probe(way.spot, step);
    step.probe = probe;
    const answer = this.send(way, step, probe, true);
    this.changed.fire(step);
    await answer;
    if (this.way !== way) return;
    this.changed.fire(step);
    const [first] = found(step);
    if (first !== undefined) await this.view.reveal(first, { focus: false, select: false });
  }

  /** Looks for what is before a step. */
  private async search(way: Way, step: Step): Promise<void> {
    const search = new Inquiry(way.spot);
    step.search = search;
    const answer = await this.send(way, step, search, false);
    if (this.way !== way || step.search !== search) return;
    const { entries = [], stops = [] } = answer?.before ?? {};
    const [only] = entries;
    if (only !== undefined && entries.length === 1) {
      step.entry = only;
      return await this.search(way, step);
    }
    if (answer !== undefined) {
      step.before = [
        ...entries.map((entry) => new Step(step, entry)),
        ...stops.map((stop) => new Step(step, step.entry, stop, hasTwin(stop, stops))),
      ];
    }
    this.changed.fire(step);
  }

  private async send(way: Way, step: Step, inquiry: Inquiry, asks: boolean) {
    const { uri, line } = way.spot;
    const stops = step.chosen.flatMap(({ stop }) => (stop === undefined ? [] : [stop.node]));
    return await inquiry.ask(this.server, "aback.back", { uri, line, fails: way.fails, entry: step.entry, stops, asks });
  }

  /** Shows the line of a step in the editor, and marks those that were chosen on the way to it. */
  async show(step: Step): Promise<void> {
    const { way } = this;
    if (way === undefined) return;
    const { uri, line } = lineOf(way, step);
    const at = new vscode.Position(line - 1, 0);
    this.shown = step;
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), preserveFocus: true });
    this.showMarks();
  }

  private showMarks(): void {
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.mark, this.marksIn(editor.document));
  }

  /** A mark for each chosen line of a document, with the numbers of the choices. */
  private marksIn(document: vscode.TextDocument): vscode.DecorationOptions[] {
    const { way } = this;
    if (way === undefined || way.isOutOfDate) return [];
    const lines = new Map<number, string[]>();
    const steps = this.shown?.chosen.filter((step) => step.stop !== undefined || step === way.root) ?? [];
    steps.forEach((step, number) => {
      const { uri, line } = lineOf(way, step);
      const isHere = uri.toString() === document.uri.toString() && line <= document.lineCount;
      if (isHere) lines.set(line, [...(lines.get(line) ?? []), ...(step.stop === undefined ? [] : [String(number)])]);
    });
    return [...lines].map(([line, numbers]) => ({
      range: document.lineAt(line - 1).range,
      renderOptions: { after: { contentText: numbers.length === 0 ? "" : `← ${numbers.join(", ")}` } },
    }));
  }

  private outdate(): void {
    if (this.way === undefined || this.way.isOutOfDate) return;
    this.way.isOutOfDate = true;
    this.view.message = "The program or the settings have changed since.";
    this.showMarks();
    this.changed.fire(undefined);
  }

  /** With its settings, the server may number lines in another way. */
  serverIsGone(): void {
    this.way?.root.all.forEach((step) => step.probe?.forgetWitnesses());
    this.outdate();
  }

  /** Shows the time that has been spent. */
  private tick(): void {
    for (const step of this.way?.root.all ?? []) if (step.running !== undefined) this.changed.fire(step);
  }

  getParent(node: Node): Node | undefined {
    if (node instanceof Path) return (node.inquiry as Probe).step;
    return node.above as Node | undefined;
  }

  getChildren(node?: Node): Node[] {
    const { way } = this;
    if (way === undefined || node instanceof Row) return [];
    if (node === undefined) return [way.root];
    if (node instanceof Path) return belowPath(node);
    if (node.stop?.is_start) return found(node);
    if (node.search === undefined && !way.isOutOfDate) void this.search(way, node);
    return [...found(node), ...before(node)];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node instanceof Step) return this.itemOfStep(this.way, node);
    return node instanceof Path ? itemOfPath(node) : itemOfRow(node);
  }

  private itemOfStep(way: Way | undefined, step: Step): vscode.TreeItem {
    const isRoot = step === way?.root;
    const { stop, entry = "", search, probe, running } = step;
    const { Expanded, Collapsed, None } = vscode.TreeItemCollapsibleState;
    const isLeaf = stop?.is_start && this.getChildren(step).length === 0;
    const item = new vscode.TreeItem("", isRoot ? Expanded : isLeaf ? None : Collapsed);
    item.id = identity(step, isLeaf ? "leaf" : "");
    const words = [
      ...(running === undefined ? [] : [running.spent]),
      ...(search?.state.is === "ended" ? [search.state.why] : []),
      ...(probe === undefined || probe === running ? [] : [wordsFor(probe, summaryOfWay)]),
    ];
    const context: string[] = [];
    if (running !== undefined) context.push("running");
    else if (isRoot || (search !== undefined && search.state.is !== "answered")) context.push("again");
    if (stop !== undefined) {
      item.label = labelOf(stop, entry);
      if (step.hasTwin) words.unshift(originOf(stop));
      words.push(conditionOf(stop));
      item.iconPath = new vscode.ThemeIcon(stop.is_start ? "debug-start" : "arrow-small-left");
      item.tooltip = tooltipOf(stop, probe);
      if (running === undefined && !way?.isOutOfDate) context.push("stop");
    } else if (isRoot && way !== undefined) {
      item.label = lineAt({ file: way.uri.fsPath, line: way.spot.line, column: 0 }, way.text);
      words.push(way.isOutOfDate ? "out of date" : way.fails ? "fails" : "is reached");
      item.iconPath = new vscode.ThemeIcon(way.fails ? "bug" : "target");
      context.push("root");
    } else {
      item.label = `from ${entry}`;
      item.iconPath = new vscode.ThemeIcon("symbol-method");
    }
    if (way?.isOutOfDate) item.iconPath = OUT_OF_DATE;
    else if (running !== undefined) item.iconPath = iconOf(running, "executions");
    else if (probe !== undefined) item.iconPath = iconOf(probe, way?.fails ? "failures" : "executions");
    item.description = words.join(" · ").slice(0, MOST_SHOWN);
    item.contextValue = context.join(" ");
    if (stop !== undefined || isRoot) item.command = { title: "Show the line", command: "aback.way.show", arguments: [step] };
    return item;
  }

  dispose(): void {
    clearInterval(this.clock);
    this.way?.root.all.forEach((step) => step.cancel());
    for (const owned of [...this.registered, this.view, this.mark, this.changed]) owned.dispose();
  }
}

/** What is known about executions that go this way. */
function found(step: Step): (Path | Row)[] {
  const { probe } = step;
  if (probe === undefined) return [];
  const rows = below(probe, step);
  if (probe.state.is !== "answered" || probe.paths.length > 0) return rows;
  return [new Row(step, summaryOfWay(probe.state.answer), "", "info"), ...rows];
}

/** The steps before one, or why there are none. */
function before(step: Step): Node[] {
  const { search, before = [] } = step;
  if (search?.state.is !== "answered") return search === undefined ? [] : below(search, step);
  const { reason } = search.state.answer;
  const row = (text: string) => new Row(step, text, "", "info");
  if (reason !== "") return [...before, row(reason)];
  return before.length > 0 ? before : [row("Control comes here from nowhere, as far as loops were unwound.")];
}

/** The line of a step; for an entry point, the one in question. */
function lineOf(way: Way, { stop }: Step): { uri: vscode.Uri; line: number } {
  if (stop === undefined) return { uri: way.uri, line: way.spot.line };
  return { uri: fileOf(stop.place, way.uri), line: Math.max(1, stop.place.line) };
}

/** The whole condition, and what is known about executions that go this way. */
function tooltipOf(stop: Stop, probe: Probe | undefined): vscode.MarkdownString {
  const head = [`**${escaped(nameOf(stop.place))}**`, escaped(originOf(stop)), escaped(stop.text)].join(" ");
  const text = new vscode.MarkdownString(`${head}\n\nAn execution goes on along the chosen lines if`);
  text.appendCodeblock(conjunctsOf(stop.condition || "(unknown)").join("\n"));
  if (probe?.state.is === "answered") text.appendMarkdown(explanationOf("Does an execution go this way?", probe.state.answer));
  return text;
}
