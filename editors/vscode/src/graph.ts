// Shows the control-flow graph of the method at a line, beside the source.

import * as vscode from "vscode";
import { Spot } from "./inquiry";
import { save } from "./programs";
import { showPage } from "./page";
import { Server } from "./server";

/** Tells the extension which line a click chooses. The source is in the editor. */
const CHOOSE = `<style>main { grid-template: 1fr / 1fr; } #source { display: none; }</style>
<script>
const editor = acquireVsCodeApi();
addEventListener("line", ({ detail }) => editor.postMessage(detail));
</script>`;

export async function showGraph(server: Server, spot: Spot): Promise<void> {
  const uri = vscode.Uri.parse(spot.uri);
  if (!(await save(uri))) return;
  const { page } = await server.command<{ page: string }>("aback.graph", { uri: spot.uri, line: spot.line });
  const panel = await showPage("aback.graph", `Graph at line ${spot.line}`, vscode.Uri.parse(page), CHOOSE);
  panel.webview.onDidReceiveMessage(({ line }: { line: number }) => show(uri, line));
}

/** Shows a line in the editor that has the document, or beside the graph. */
async function show(uri: vscode.Uri, line: number): Promise<void> {
  const open = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  const document = await vscode.workspace.openTextDocument(uri);
  const at = document.lineAt(Math.min(line, document.lineCount) - 1).range;
  await vscode.window.showTextDocument(document, { viewColumn: open?.viewColumn ?? vscode.ViewColumn.One, selection: at, preserveFocus: true });
}
