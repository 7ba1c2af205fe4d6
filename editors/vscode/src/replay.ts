// Shows an execution: as a page beside the source, and in the debugger. The page follows the debugger.

import * as vscode from "vscode";
import { showPage } from "./page";
import { program, Server } from "./server";

/** Goes to the step, counted from 1, that a message of the extension names. */
const FOLLOW = `<script>
addEventListener("message", ({ data }) => { if (Number.isInteger(data.step)) go(data.step - 1 - page.omitted); });
</script>`;

export class Replay implements vscode.Disposable {
  /** The open pages, by their witnesses. */
  private readonly pages = new Map<string, vscode.WebviewPanel>();
  private readonly registered: vscode.Disposable[];

  constructor(private readonly server: () => Server) {
    this.registered = [
      vscode.debug.registerDebugAdapterDescriptorFactory("aback", {
        createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(program(), ["dap"]),
      }),
      vscode.debug.registerDebugConfigurationProvider("aback", { resolveDebugConfiguration: (_, given) => complete(given) }),
      vscode.debug.registerDebugAdapterTrackerFactory("aback", {
        createDebugAdapterTracker: ({ configuration }) => ({
          onDidSendMessage: (message) => this.follow(String(configuration["witness"]), message),
        }),
      }),
    ];
  }

  /** Shows the page of a witness beside the source. */
  async show(witness: string, title = "Execution"): Promise<void> {
    const open = this.pages.get(witness);
    if (open !== undefined) {
      open.reveal(undefined, true);
      return;
    }
    const { page } = await this.server().command<{ page: string }>("aback.replay", { witness });
    const panel = await showPage("aback.replay", title, vscode.Uri.parse(page), FOLLOW);
    this.pages.set(witness, panel);
    panel.onDidDispose(() => this.pages.delete(witness));
  }

  /** Replays a witness in the debugger. */
  async debug(witness: string, uri: vscode.Uri): Promise<void> {
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    // The adapter writes nothing to the console.
    const configuration = { type: "aback", request: "launch", name: "Replay", witness, internalConsoleOptions: "neverOpen" };
    await vscode.debug.startDebugging(folder, configuration);
  }

  /** Takes the page to the step where the debugger has stopped. */
  private follow(witness: string, message: { event?: string; body?: { step?: unknown } }): void {
    const step = message.event === "stopped" ? message.body?.step : undefined;
    if (typeof step === "number") void this.pages.get(witness)?.webview.postMessage({ step });
  }

  dispose(): void {
    for (const page of this.pages.values()) page.dispose();
    for (const registered of this.registered) registered.dispose();
  }
}

/** A configuration that names a witness. Without one, there is nothing to replay. */
function complete(given: vscode.DebugConfiguration): vscode.DebugConfiguration | undefined {
  if (given["witness"]) return given;
  void vscode.window.showInformationMessage(
    "aback replays a path: ask a question and choose Replay in the Debugger, or name the file of a counterexample as `witness`.",
  );
  return undefined;
}
