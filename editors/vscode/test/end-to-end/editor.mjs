// Starts code-server with the packaged extension and a browser, and does in it what a user does.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";

/** Settings that keep everything away that is not about aback. */
const QUIET = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.layoutControl.enabled": false,
  "window.commandCenter": false,
  "window.menuBarVisibility": "compact",
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "chat.commandCenter.enabled": false,
  "editor.minimap.enabled": false,
  "editor.accessibilitySupport": "off",
  "git.enabled": false,
  "files.autoSave": "off",
};

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

/** An editor with a folder. */
export class Editor {
  /**
   * @param tools the folder where code-server and playwright-core are installed
   * @param extension the packaged extension
   * @param settings the settings of the extension
   * @param work an empty folder for all that the editor writes
   * @param folder the folder that is opened
   * @param pictures the folder for screenshots
   */
  static async open({ tools, extension, work, folder, settings, pictures, browser }) {
    const editor = new Editor();
    editor.pictures = pictures;
    const user = join(work, "user");
    for (const folder of ["User", "Machine"]) mkdirSync(join(user, folder), { recursive: true });
    mkdirSync(pictures, { recursive: true });
    // Paths of programs are settings of the machine.
    editor.settings = settings;
    writeFileSync(join(user, "User", "settings.json"), JSON.stringify(QUIET));
    writeFileSync(join(user, "Machine", "settings.json"), JSON.stringify(settings));
    const entry = join(tools, "node_modules/code-server/out/node/entry.js");
    const folders = ["--user-data-dir", user, "--extensions-dir", join(work, "extensions")];
    const homes = { HOME: work, XDG_DATA_HOME: join(work, "data"), XDG_CONFIG_HOME: join(work, "config") };
    const environment = { ...process.env, ...homes };
    const install = [entry, ...folders, "--install-extension", extension];
    const installed = spawnSync(process.execPath, install, { env: environment, encoding: "utf8" });
    if (installed.status !== 0) throw new Error(`the extension cannot be installed: ${installed.stdout}${installed.stderr}`);
    const port = await freePort();
    const quiet = ["--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"];
    const serve = [entry, ...folders, ...quiet, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`];
    editor.server = spawn(process.execPath, serve, { env: environment, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let said = "";
    editor.server.stdout.on("data", (text) => (said += text));
    editor.server.stderr.on("data", (text) => (said += text));
    await until(() => said.includes("HTTP server listening"), 60, () => `code-server does not start: ${said}`);
    const { chromium } = createRequire(join(tools, "node_modules/"))("playwright-core");
    editor.browser = await chromium.launch({
      executablePath: browser,
      args: [
        ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
        ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
      ],
    });
    const page = await editor.browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(30_000);
    editor.page = page;
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`);
    await page.locator(".monaco-workbench").waitFor();
    await page.locator('.activitybar [aria-label^="aback"]').first().waitFor();
    return editor;
  }

  /** Changes settings of this machine in the editor itself: files are not watched where native modules are missing. */
  async set(settings) {
    this.settings = { ...this.settings, ...settings };
    await this.command("Preferences: Open Remote Settings (JSON)");
    const text = this.page.locator(".editor-group-container.active .tab.active", { hasText: "settings.json" });
    await this.see(text);
    const isDirty = this.page.locator(".tab.active.dirty");
    await until(async () => {
      await this.page.locator(".editor-instance .view-lines").first().click();
      await this.page.keyboard.press("Control+A");
      await this.page.keyboard.insertText(JSON.stringify(this.settings, null, 2));
      return await isDirty.waitFor({ timeout: 2000 }).then(() => true, () => false);
    }, 30, () => "the settings cannot be changed");
    await this.page.keyboard.press("Control+S");
    await isDirty.waitFor({ state: "detached" });
    await this.command("View: Close Editor");
    await text.waitFor({ state: "detached" });
  }

  async close() {
    await this.browser?.close().catch(() => {});
    // The process group: code-server starts others.
    if (this.server) process.kill(-this.server.pid, "SIGKILL");
  }

  async picture(name) {
    await this.page.mouse.move(640, 790);
    await this.page.waitForTimeout(400);
    await this.page.screenshot({ path: join(this.pictures, `${name}.png`) });
  }

  /** Runs a command of the palette by its title. */
  async command(title) {
    await this.page.keyboard.press("F1");
    const input = this.page.locator(".quick-input-widget input.input");
    await input.fill(`>${title}`);
    // Others may have the beginning in common. The name of a remote machine may follow.
    const exact = new RegExp(`^${title.replace(/[()?]/g, "\\$&")}( \\(.*\\))?$`);
    await this.page.locator(".quick-input-list .label-name", { hasText: exact }).first().click();
  }

  /** Opens a file of the workspace, at a line, and a column if it matters. */
  async file(name, line, column = 1) {
    await this.page.keyboard.press("Control+P");
    await this.page.locator(".quick-input-widget input.input").fill(name);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor();
    await this.page.keyboard.press("Enter");
    await this.page.locator(".tab.active", { hasText: name }).first().waitFor();
    await this.go(line, column);
  }

  async go(line, column = 1) {
    const isThere = this.page.locator(".statusbar-item", { hasText: `Ln ${line}, Col ${column}` });
    // The editor may not listen yet.
    await until(async () => {
      await this.page.keyboard.press("Control+G");
      await this.page.locator(".quick-input-widget input.input").fill(`:${line}:${column}`, { timeout: 2000 }).catch(() => {});
      await this.page.keyboard.press("Enter");
      return await isThere.waitFor({ timeout: 2000 }).then(() => true, () => false);
    }, 30, () => `the cursor does not get to line ${line}`);
  }

  /** Makes the side bar wider, so that answers fit. */
  async widen() {
    const edge = await this.page.locator(".part.sidebar").boundingBox();
    await this.page.mouse.move(edge.x + edge.width, 400);
    await this.page.mouse.down();
    await this.page.mouse.move(edge.x + 400, 400, { steps: 5 });
    await this.page.mouse.up();
  }

  /** Presses a button in the title of the editor, or in that of a view. */
  async press(label) {
    await this.page.locator(`.action-label[aria-label^="${label}"]`).first().click();
  }

  pane(view) {
    return this.page.locator(".pane", { has: this.page.locator(".pane-header", { hasText: view }) });
  }

  /** Folds a view, or unfolds it. */
  async fold(view) {
    await this.pane(view).locator(".pane-header .title").click();
  }

  /** The row of a view with a text. */
  row(text, view = "Found Paths") {
    return this.pane(view).locator('.pane-body [role="treeitem"]', { hasText: text }).first();
  }

  /** Starts to note the messages that pop up. */
  async watchPopups() {
    await this.page.evaluate(() => {
      globalThis.popups = [];
      const popup = ".notification-toast, .monaco-dialog-box";
      const isPopup = (node) => node instanceof HTMLElement && (node.matches(popup) || node.querySelector(popup) !== null);
      const note = (node) => void (isPopup(node) && globalThis.popups.push(node.innerText));
      const observer = new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach(note)));
      observer.observe(document.body, { childList: true, subtree: true });
    });
  }

  /** The messages that have popped up since. */
  async popups() {
    return await this.page.evaluate(() => globalThis.popups);
  }

  /** Presses a button in a row. */
  async rowButton(row, label) {
    const button = row.locator(`.action-label[aria-label^="${label}"]`);
    // Buttons are there below the mouse only, and rows move when others open.
    await until(async () => {
      await row.hover();
      return await button.click({ timeout: 2000 }).then(() => true, () => false);
    }, 30, () => `the row has no button ${label}`);
  }

  /** Lets the tooltip of a row appear. It goes when the row changes. */
  async tooltip(row, text) {
    const shown = this.page.locator(".monaco-hover", { hasText: text });
    await until(async () => {
      await this.page.mouse.move(640, 790);
      await row.hover();
      return await shown.first().waitFor({ timeout: 3000 }).then(() => true, () => false);
    }, 30, () => `no tooltip has ${text}`);
  }

  async see(locator, seconds = 30) {
    await locator.first().waitFor({ timeout: seconds * 1000 });
  }

  /** The frame of the webview that is shown, once it has an element. The frame where a page loads is hidden. */
  async webview(selector) {
    let found;
    const isShown = async (frame) => (await frame.locator(selector).count()) > 0 && (await (await frame.frameElement()).isVisible());
    await until(async () => {
      for (const frame of this.page.frames().slice(1)) if (await isShown(frame).catch(() => false)) found = frame;
      return found !== undefined;
    }, 30, () => `no webview has ${selector}`);
    return found;
  }
}

export async function until(holds, seconds, otherwise) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(otherwise());
}
