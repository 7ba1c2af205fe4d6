// Shows an execution: as a page beside the source, and in the debugger. The page follows the debugger.

import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { program, Server } from "./server";

/** The page in the colours of the editor, and narrow enough to stand beside the source. */
const STYLE = `<style>
:root {
  --line: var(--vscode-panel-border, #8884); --soft: var(--vscode-sideBar-background); --text: var(--vscode-editor-foreground);
  --faint: var(--vscode-descriptionForeground); --mark: var(--vscode-editor-findMatchHighlightBackground);
  --blue: var(--vscode-textLink-foreground); --red: var(--vscode-errorForeground); --green: var(--vscode-charts-green);
}
body { padding: 0; background: var(--vscode-editor-background); }
nav button { background: transparent; color: inherit; }
nav button:disabled { color: var(--vscode-disabledForeground); }
#left h2, #right h2 { background: var(--vscode-editor-background); }
#source li.now { background: var(--vscode-editor-stackFrameHighlightBackground); }
#source li.fails.now, #says.fails { background: var(--vscode-inputValidation-errorBackground); }
#heap svg, #graph svg { fill: var(--vscode-editor-foreground); }
#heap .box, #graph .block:not(.now) { fill: var(--vscode-editorWidget-background); }
#heap .edge { stroke: var(--vscode-descriptionForeground); }
svg marker path { fill: var(--vscode-descriptionForeground); }
@media (max-width: 800px) {
  nav kbd, #source h2 { display: none; }
  main { grid-template-columns: 1fr; grid-template-rows: 2fr 3fr; }
  #left { border-right: none; border-bottom: 1px solid var(--line); }
}
</style>`;

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
    const text = await readFile(vscode.Uri.parse(page).fsPath, "utf8");
    const panel = vscode.window.createWebviewPanel(
      "aback.replay",
      title,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true },
    );
    this.pages.set(witness, panel);
    panel.onDidDispose(() => this.pages.delete(witness));
    const styled = text.replace("</head>", () => `${STYLE}</head>`);
    panel.webview.html = styled.replace(/<\/body>\s*<\/html>\s*$/, () => `${FOLLOW}</body></html>`);
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
