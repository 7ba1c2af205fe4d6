// Runs `aback lsp`: starts it, restarts it if a setting changes, and says clearly if the program is missing.

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { ExecuteCommandRequest, LanguageClient } from "vscode-languageclient/node";
import { SoFar } from "./answers";

/** The languages that the server knows. */
export const LANGUAGES = ["java", "csharp", "oox"];

/** The settings that the server gets as they are. */
const OPTIONS = ["timeout", "paths", "findings", "builds", "budget", "traps", "trust", "messages", "unwind"];

/** The program that the settings name. */
export function program(): string {
  const named = vscode.workspace.getConfiguration("aback").get("path", "aback").trim() || "aback";
  return named.startsWith("~/") ? homedir() + named.slice(1) : named;
}

export class Server implements vscode.Disposable {
  private readonly log = vscode.window.createOutputChannel("aback");
  private client: LanguageClient | undefined;
  /** Who wants to know how far the commands that run have come, by their tokens. */
  private readonly listeners = new Map<string, (soFar: SoFar) => void>();
  /** The start or stop that goes on. The next one waits for it. */
  private turn: Promise<void> = Promise.resolve();

  /**
   * @param run runs a command of the server that a lens or an action of the editor asks for
   * @param gone is called when the server is stopped, with whose end its witnesses go
   */
  constructor(
    private readonly run: (command: string, argument: unknown) => unknown,
    private readonly gone: () => void,
  ) {}

  /** Starts the server, in place of the one that runs. */
  start(): Promise<void> {
    this.turn = this.turn.then(async () => {
      await this.stop();
      const problem = await problemOf(program());
      if (problem !== undefined) {
        this.log.appendLine(problem);
        void offerSetting(problem);
        return;
      }
      const client = new LanguageClient("aback", "aback", { command: program(), args: ["lsp"] }, this.options());
      this.client = client;
      client.onNotification("aback/soFar", ({ token, ...soFar }: SoFar & { token: string }) => this.listeners.get(token)?.(soFar));
      await client.start().catch((error: unknown) => this.log.appendLine(String(error)));
    });
    return this.turn;
  }

  private options() {
    const settings = vscode.workspace.getConfiguration("aback");
    return {
      documentSelector: LANGUAGES.map((language) => ({ scheme: "file", language })),
      outputChannel: this.log,
      initializationOptions: {
        ...Object.fromEntries(OPTIONS.map((name) => [name, settings.get(name)])),
        // The extension shows replays beside the source.
        opensPages: false,
        soFar: true,
      },
      middleware: {
        executeCommand: async (command: string, given: unknown[]) => await this.run(command, given[0]),
      },
    };
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client === undefined) return;
    this.gone();
    await client.dispose().catch((error: unknown) => this.log.appendLine(String(error)));
  }

  /**
   * The result of a command. Fails with a message for users, also if there is no server.
   *
   * @param listen is called when the command has come further
   */
  async command<T>(
    command: string,
    argument: object,
    cancel?: vscode.CancellationToken,
    listen: (soFar: SoFar) => void = () => undefined,
  ): Promise<T> {
    await this.turn;
    if (this.client === undefined) throw new Error("The server of aback does not run.");
    // With a token of ours, the server asks for no progress bar.
    const token = `view-${tokens++}`;
    const params = { command, arguments: [argument], workDoneToken: token };
    this.listeners.set(token, listen);
    try {
      return (await this.client.sendRequest(ExecuteCommandRequest.type, params, cancel)) as T;
    } finally {
      this.listeners.delete(token);
    }
  }

  showLog(): void {
    this.log.show(true);
  }

  async dispose(): Promise<void> {
    await this.turn;
    await this.stop();
    this.log.dispose();
  }
}

let tokens = 0;

/** Why a program is not aback, or cannot be run. */
function problemOf(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(path, ["--version"], { timeout: 10_000 }, (error, stdout) => {
      const code = (error as NodeJS.ErrnoException | null)?.code;
      if (code === "ENOENT") resolve(`The program aback is missing: there is no ${path}.`);
      else if (error !== null) resolve(`${path} cannot be run: ${error.message.trim()}`);
      else resolve(stdout.startsWith("aback ") ? undefined : `${path} is another program than aback.`);
    });
  });
}

async function offerSetting(problem: string): Promise<void> {
  const open = "Open the Setting";
  if ((await vscode.window.showErrorMessage(problem, open)) !== open) return;
  // A remote machine has a path of its own.
  const settings = vscode.env.remoteName === undefined ? "workbench.action.openSettings" : "workbench.action.openRemoteSettings";
  await vscode.commands.executeCommand(settings, { query: "aback.path" });
}
