// Shows a page of the server beside the source.

import { readFile } from "node:fs/promises";
import * as vscode from "vscode";

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
#source { border-color: var(--line); }
#source h2 { background: var(--vscode-editor-background); }
nav select { background: var(--vscode-dropdown-background); color: var(--vscode-dropdown-foreground); }
#heap .box, #graph .block:not(.now) { fill: var(--vscode-editorWidget-background); }
#heap .edge { stroke: var(--vscode-descriptionForeground); }
svg marker path { fill: var(--vscode-descriptionForeground); }
@media (max-width: 800px) {
  nav kbd, #source h2 { display: none; }
  main { grid-template-columns: 1fr; grid-template-rows: 2fr 3fr; }
  #left { border-right: none; border-bottom: 1px solid var(--line); }
}
</style>`;

/** Shows a page in the colours of the editor. `script` joins it with the editor. */
export async function showPage(type: string, title: string, page: vscode.Uri, script: string): Promise<vscode.WebviewPanel> {
  const text = await readFile(page.fsPath, "utf8");
  const panel = vscode.window.createWebviewPanel(
    type,
    title,
    { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
    { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true },
  );
  const styled = text.replace("</head>", () => `${STYLE}</head>`);
  panel.webview.html = styled.replace(/<\/body>\s*<\/html>\s*$/, () => `${script}</body></html>`);
  return panel;
}
