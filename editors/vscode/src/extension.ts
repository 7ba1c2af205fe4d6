// The extension: asks aback about the line at the cursor, and shows what it finds.

import * as vscode from "vscode";
import { Kind } from "./answers";
import { showGraph } from "./graph";
import { cursor, Path, Spot } from "./inquiry";
import { Question, Questions } from "./questions";
import { Replay } from "./replay";
import { Server } from "./server";
import { Step, WayBack } from "./way";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const questions = new Questions();
  const replay = new Replay(() => running);
  const running = new Server(run, () => {
    questions.forgetWitnesses();
    way.serverIsGone();
  });
  const way = new WayBack(running, vscode.Uri.joinPath(context.extensionUri, "pictures/way.svg"));
  server = running;
  questions.server = running;
  context.subscriptions.push(questions, way, replay);

  // Lenses and actions of the editor end where the buttons do.
  async function run(command: string, argument: unknown): Promise<unknown> {
    switch (command) {
      case "aback.reach":
      case "aback.check":
      case "aback.null":
        return await questions.ask(command.slice("aback.".length) as Kind, argument as Spot);
      case "aback.replay":
        return await attempt(async () => {
          const { witness } = argument as { witness?: string };
          const shown = witness ?? (await firstWitness(argument as Spot));
          if (shown !== undefined) await replay.show(shown);
        });
      case "aback.graph":
        return await attempt(() => showGraph(running, argument as Spot));
      default:
        return await attempt(() => running.command(command, argument as object));
    }
  }

  /** The first path on which something fails at a line. Why there is none is in the view. */
  async function firstWitness(spot: Spot): Promise<string | undefined> {
    return (await questions.ask("check", spot))?.paths[0]?.witness;
  }

  const withWitness = (act: (path: Path, witness: string) => Promise<void>) => (path: Path) => {
    const { witness } = path.found;
    return witness === undefined ? undefined : attempt(() => act(path, witness));
  };
  // The server has the editor make the file, and show it.
  const writeTest = ({ inquiry, found: { test } }: Path) =>
    attempt(() => running.command("aback.test", { test, uri: inquiry.spot.uri }));
  const atCursor = (act: (spot: Spot) => unknown) => () => {
    const spot = cursor();
    return spot === undefined ? undefined : act(spot);
  };
  const commands: Record<string, (node: never) => unknown> = {
    "aback.ask.reach": atCursor((spot) => questions.ask("reach", spot)),
    "aback.ask.check": atCursor((spot) => questions.ask("check", spot)),
    "aback.ask.null": atCursor((spot) => questions.ask("null", spot)),
    "aback.question.again": (question: Question) => questions.again(question),
    "aback.question.cancel": (question: Question) => question.cancel(),
    "aback.question.back": ({ spot, kind }: Question) => way.start(spot, kind === "check"),
    "aback.back.line": atCursor((spot) => way.start(spot, false)),
    "aback.back.failure": atCursor((spot) => way.start(spot, true)),
    "aback.graph.show": atCursor((spot) => attempt(() => showGraph(running, spot))),
    "aback.way.show": (step: Step) => attempt(() => way.show(step)),
    "aback.way.ask": (step: Step) => way.ask(step),
    "aback.way.cancel": (step: Step) => way.cancel(step),
    "aback.way.again": (step: Step) => way.again(step),
    "aback.way.remove": () => way.remove(),
    "aback.found.remove": (node: Question | Path) => questions.remove(node),
    "aback.found.removeAll": () => questions.removeAll(),
    "aback.path.debug": withWitness((path, witness) => replay.debug(witness, path.uri)),
    "aback.path.show": withWitness(({ number, found }, witness) =>
      replay.show(witness, `Path ${number} to line ${found.violation.place.line}`),
    ),
    "aback.path.test": writeTest,
    "aback.server.restart": () => running.start(),
    "aback.server.log": () => running.showLog(),
  };
  for (const [name, act] of Object.entries(commands)) context.subscriptions.push(vscode.commands.registerCommand(name, act));
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("aback")) void running.start();
    }),
  );
  void running.start();
}

export async function deactivate(): Promise<void> {
  await server?.dispose();
}

/** Runs an action, and shows why it fails. */
async function attempt<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    void vscode.window.showErrorMessage(`aback: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
