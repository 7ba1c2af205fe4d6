// Does in the editor what users of the extension do, and checks what they see. A screenshot of each stop is for people.
//
// node run.mjs TOOLS EXTENSION ABACK PICTURES: the folder where code-server and playwright-core are installed, the packaged
// extension, the program aback, and a folder for the screenshots. CHROMIUM may name the browser. The part about C# needs .NET.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Editor, until } from "./editor.mjs";

const [tools, extension, aback, pictures] = process.argv.slice(2).map((path) => resolve(path));
if (pictures === undefined) {
  console.error("usage: node run.mjs TOOLS EXTENSION ABACK PICTURES");
  process.exit(2);
}
const work = mkdtempSync(join(tmpdir(), "aback-editor-test-"));
// One folder has programs in all languages.
const folder = join(work, "programs");
cpSync(new URL("programs", import.meta.url), folder, { recursive: true });

const editor = await Editor.open({
  tools,
  extension,
  work,
  folder,
  settings: { "aback.path": aback, "aback.findings": false, "aback.timeout": 30 },
  pictures,
  browser: process.env.CHROMIUM ?? "/usr/bin/chromium",
});
const { page } = editor;

/** One thing that a user does. What it checks is in it. */
async function stop(name, act) {
  const start = Date.now();
  await act();
  await editor.picture(name);
  console.log(`  ok: ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}

/** The row of a question, once it has its answer. */
async function answered(question, answer) {
  const row = editor.row(question).filter({ hasText: answer });
  await editor.see(row, 60);
  return row;
}

/** Presses a lens until the question is there: lenses move when others appear. */
async function pressLens(lens, question) {
  const isAsked = async () => {
    await lens.click();
    return await editor.row(question).waitFor({ timeout: 3000 }).then(() => true, () => false);
  };
  await until(isAsked, 30, () => `the lens does not ask: ${question}`);
}

/** The line where the debugger is, once it is another one than before. */
async function movesFrom(before) {
  let line = before;
  await until(async () => (line = await debuggedLine()) !== undefined && line !== before, 20, () => `the debugger stays at line ${before}`);
  return line;
}
async function debuggedLine() {
  const frame = page.locator(".debug-call-stack .stack-frame").first();
  const text = await frame.locator(".line-number").textContent({ timeout: 1000 }).catch(() => null);
  return text === null ? undefined : Number(text.split(":")[0]);
}
/** The row of the view of a way back with a text. */
const step = (text) => editor.row(text, "Way Back");
/** The row of a line there, of several the first one. */
const line = (number, file = "Chain.java") => step(new RegExp(`^${file}:${number}\\s`));
/** Looks for what is before a step. */
const expand = (step) => step.locator(".monaco-tl-twistie").click();
/** The marks at the chosen lines: what is written behind each. */
async function marks() {
  const texts = await page.locator(".view-line span[class*='ced-']").evaluateAll((spans) =>
    spans.map((span) => getComputedStyle(span, "::after").content).filter((text) => text.includes("←")),
  );
  return texts.map((text) => text.replace(/"/g, "").trim());
}
/** Waits until the debugger is at a line. */
async function settles(line) {
  let at;
  await until(async () => (at = await debuggedLine()) === line, 20, () => `the debugger is at line ${at}`);
}
/** The editor shows the variables by itself in the first session only. */
const showsDebugger = () => page.locator('.activitybar [aria-label^="Run and Debug"]').first().click();
const variable = (name) => page.locator(`.debug-view-content [role="treeitem"][aria-label^="${name}"]`).first();
const debuggerButton = (label) => page.locator(`.debug-toolbar .action-label[aria-label^="${label}"]`);
/** Waits for the page of the execution to follow the debugger. */
async function pageShows(text) {
  const frame = await execution();
  await until(async () => text.test(await frame.locator("#says").innerText()), 10, () => `the page does not show ${text}`);
}
const execution = () => editor.webview("#source li.now");

async function scenario() {
  await stop("welcome", async () => {
    await editor.file("Chain.java", 18);
    await page.locator('.activitybar [aria-label^="aback"]').first().click();
    await editor.see(page.locator(".welcome-view-content", { hasText: "Put the cursor on a line" }));
  });

  await stop("fail", async () => {
    await editor.widen();
    await editor.press("Can This Line Fail?");
    const row = await answered("Can line 18 fail?", "yes, 5 paths");
    assert.match(await row.innerText(), /Chain\.java/);
    await editor.see(editor.row("1. assert can be false"));
    await editor.see(editor.row("from Chain.reverse"));
    await editor.see(editor.row("= Node#1 { value = 0, next = Node#1 }"));
    assert.equal(await page.locator(".notification-toast").count(), 0, "answers come without messages");
  });

  await stop("place", async () => {
    await editor.go(1);
    await editor.row("3. assert can be false").locator(".monaco-icon-label-container").click();
    await editor.see(page.locator(".statusbar-item", { hasText: "Ln 18," }));
  });

  await stop("execution", async () => {
    await editor.rowButton(editor.row("2. assert can be false"), "Show the Execution");
    const frame = await execution();
    assert.equal(await frame.locator("#source li.now").count(), 1);
    await frame.locator("#into").click();
    assert.match(await frame.locator("#number").innerText(), /^2 \//);
    await frame.locator("#failure").click();
    assert.match(await frame.locator("#says").innerText(), /violated/);
    assert.ok((await frame.locator("#heap rect.box").count()) >= 2, "the objects are drawn");
    await frame.locator("body").press("ArrowLeft");
    assert.equal(await frame.locator("#says").getAttribute("class"), "");
    await frame.locator("body").press("End");
  });

  const page2 = await execution();
  await stop("calls", async () => {
    await page2.locator("body").press("c");
    assert.match(await page2.locator("#calls").innerText(), /Chain\.reverse[^]*while \(at != null\)/);
    assert.equal(await page2.locator("#calls a.now").count(), 1);
  });

  await stop("graph", async () => {
    await page2.locator("body").press("g");
    // The variables are at each block that control has been at.
    assert.match(await page2.locator("#graph .state").first().innerHTML(), /first = Node#1/);
    const before = await page2.locator("#number").innerText();
    await page2.locator("#graph rect.passed").first().click();
    assert.notEqual(await page2.locator("#number").innerText(), before, "a click on a block goes to its step");
    await page2.locator("body").press("End");
  });

  await stop("graph-lowered", async () => {
    await page2.locator("body").press("g");
    assert.match(await page2.locator("#graph h2").innerText(), /as engines see it/i);
    await page2.locator("body").press("s");
  });

  await stop("graph-of-a-method", async () => {
    await page.locator(".tab", { hasText: "Chain.java" }).first().click();
    await editor.command("aback: Show the Graph of This Method");
    await editor.see(page.locator(".tab.active", { hasText: "Graph at line" }));
    const frame = await editor.webview("#method");
    assert.ok((await frame.locator("#graph rect.block").count()) >= 3, "the blocks are drawn");
    await frame.locator("#graph rect.block").first().click();
    assert.equal(await frame.locator("#graph rect.now").count(), 1);
    await editor.picture("graph-beside");
    await page.locator(".tab", { hasText: "Graph at line" }).locator(".codicon-close").click();
  });

  await editor.watchPopups();
  await stop("debugger", async () => {
    await editor.rowButton(editor.row("2. assert can be false"), "Replay in the Debugger");
    await editor.see(debuggerButton("Step Over"));
    assert.equal(await movesFrom(undefined), 10);
    await editor.see(variable("first"));
    assert.match(await variable("first").getAttribute("aria-label"), /Node#1 \(input\)/);
  });

  await stop("debugger-forward", async () => {
    let line = 10;
    for (const expected of [11, 12, 13, 14, 15]) {
      await debuggerButton("Step Over").click();
      assert.equal((line = await movesFrom(line)), expected);
    }
    await editor.see(variable("next"));
    await variable("at").click();
    await page.keyboard.press("ArrowRight");
    await editor.see(page.locator('.debug-view-content [aria-label*="(changed)"]'));
  });

  await stop("debugger-back", async () => {
    await debuggerButton("Step Back").click();
    assert.equal(await movesFrom(15), 14);
    await debuggerButton("Step Back").click();
    assert.equal(await movesFrom(14), 13);
  });

  await stop("debugger-violation", async () => {
    await debuggerButton("Continue").click();
    assert.equal(await movesFrom(13), 18);
    await editor.see(page.locator(".exception-widget", { hasText: "assert can be false" }));
    await pageShows(/violated/);
    await debuggerButton("Reverse").click();
    assert.equal(await movesFrom(18), 10);
    await pageShows(/^$/);
    await debuggerButton("Continue").click();
    assert.equal(await movesFrom(10), 18);
  });

  await stop("debugger-data", async () => {
    await debuggerButton("Reverse").click();
    assert.equal(await movesFrom(18), 10);
    await variable("first").click();
    await page.keyboard.press("ArrowRight");
    // The menu goes when the view changes, and a new one does not listen at once.
    const choice = page.locator(".monaco-menu .action-label", { hasText: "Break on Value Change" });
    await until(async () => {
      await variable("next").click({ button: "right" });
      await choice.waitFor({ timeout: 3000 }).catch(() => {});
      await page.waitForTimeout(500);
      const click = choice.click({ timeout: 2000 }).then(() => choice.waitFor({ state: "detached", timeout: 2000 }));
      const isChosen = await click.then(() => true, () => false);
      if (!isChosen) await page.keyboard.press("Escape");
      return isChosen;
    }, 30, () => "no data breakpoint can be set");
    await editor.see(page.locator(".debug-breakpoints .monaco-list-row", { hasText: "next" }));
    await debuggerButton("Continue").click();
    // The line before it has written the field.
    assert.equal(await movesFrom(10), 15);
    await debuggerButton("Reverse").click();
    assert.equal(await movesFrom(15), 14);
    const watched = page.locator(".debug-breakpoints .monaco-list-row", { hasText: "next" });
    await watched.first().click();
    await page.keyboard.press("Delete");
    await watched.waitFor({ state: "detached" });
    await debuggerButton("Continue").click();
    assert.equal(await movesFrom(14), 18);
  });

  await stop("debugger-hasty", async () => {
    await debuggerButton("Reverse").click();
    assert.equal(await movesFrom(18), 10);
    // Without waiting, so that answers come when the debugger is elsewhere. Keys have no effect while it moves.
    for (const key of ["F10", "F10", "F10", "F11", "F10", "F11", "F10"]) await page.keyboard.press(key);
    await page.waitForTimeout(2000);
    await debuggerButton("Continue").click();
    await settles(18);
    assert.deepEqual(await editor.popups(), [], "no popup appears during debugging");
  });

  await stop("reach", async () => {
    await debuggerButton("Stop").click();
    await debuggerButton("Stop").waitFor({ state: "hidden" });
    await editor.command("View: Close All Editors");
    await editor.file("Chain.java", 14);
    await page.keyboard.press("Alt+A");
    await page.keyboard.press("R");
    await answered("Can line 14 be reached?", "yes, 1 path");
    await editor.see(editor.row("control can get to this line"));
  });

  await stop("test", async () => {
    await editor.rowButton(editor.row("1. assert can be false"), "Write as a Test");
    await editor.see(page.locator(".tab.active", { hasText: /Test.*\.java/ }));
    await editor.see(page.locator(".view-line", { hasText: "class" }));
    await editor.picture("test-written");
    await editor.command("View: Close Editor");
    await editor.see(page.locator(".tab.active", { hasText: "Chain.java" }));
  });

  await stop("proof", async () => {
    await editor.go(30);
    await pressLens(page.getByText("can this assertion fail?").last(), "Can line 30 fail?");
    const row = await answered("Can line 30 fail?", "no (");
    await editor.tooltip(row, "It is assumed that");
  });

  await stop("null", async () => {
    await editor.go(24, 23);
    await editor.command("aback: Can This Be Null?");
    await answered("Can it be null at line 24?", "yes, 1 path");
  });

  await stop("no-answer", async () => {
    await editor.go(6);
    await editor.press("Can This Line Be Reached?");
    await answered("Can line 6 be reached?", "no answer");
    await editor.see(editor.row("there is no code at"));
  });

  await stop("out-of-date", async () => {
    await editor.go(39);
    await page.keyboard.press("End");
    await page.keyboard.type(" ");
    await answered("Can line 30 fail?", "out of date: no (");
    await editor.go(30);
    // The document is saved before the question.
    await editor.press("Can This Line Fail?");
    await answered("Can line 30 fail?", /^(?!.*out of date).*no \(/s);
    assert.equal(await page.locator(".tab.active.dirty").count(), 0);
  });

  await stop("removed", async () => {
    await editor.rowButton(editor.row("Can line 6 be reached?"), "Remove");
    await editor.row("Can line 6 be reached?").waitFor({ state: "detached" });
    await editor.press("Remove All Questions");
    await editor.see(page.locator(".welcome-view-content", { hasText: "Put the cursor on a line" }));
  });

  await stop("way", async () => {
    await editor.fold("Found Paths");
    await editor.file("Chain.java", 18);
    await editor.command("aback: Go Back From What Fails Here");
    await editor.see(line(18).filter({ hasText: "fails" }));
    await expand(step("if first != "));
    await editor.see(step("after :17 #2"));
    await editor.see(step("after :11 #1"));
    assert.equal(await page.locator(".notification-toast").count(), 0);
  });

  await stop("way-lines", async () => {
    await expand(step("after :17 #2"));
    for (const number of [17, 16, 15, 14]) await expand(line(number));
    await line(13).locator(".monaco-icon-label-container").click();
    await editor.see(page.locator(".statusbar-item", { hasText: "Ln 13," }));
    await until(async () => (await marks()).length === 7, 5, () => "seven lines are marked");
    assert.deepEqual(await marks(), ["← 2", "← 7", "← 6", "← 5", "← 4", "← 3", "← 1"]);
    await editor.tooltip(line(14), "An execution goes on along the chosen lines if");
    await page.screenshot({ path: join(pictures, "way-tooltip.png") });
  });

  await stop("way-yes", async () => {
    await editor.rowButton(line(13), "Does an Execution Go This Way?");
    await editor.see(line(13).filter({ hasText: "yes, 1 path" }));
    await editor.see(step("from Chain.reverse"));
    await editor.see(step("= Node#1"));
    await editor.rowButton(step("assert can be false"), "Show the Execution");
    const frame = await execution();
    await frame.locator("#failure").click();
    assert.match(await frame.locator("#says").innerText(), /violated/);
  });

  await stop("way-debugger", async () => {
    await editor.rowButton(step("assert can be false"), "Replay in the Debugger");
    // The side bar stays with the view.
    await editor.see(page.locator(".statusbar-item", { hasText: "Ln 10," }));
    await pageShows(/^$/);
    await debuggerButton("Stop").click();
    await debuggerButton("Stop").waitFor({ state: "hidden" });
    await editor.command("View: Close All Editors");
    await editor.file("Chain.java", 18);
  });

  await stop("way-no", async () => {
    await expand(step("after :11 #1"));
    await editor.see(step("control does not come here on this way"));
    await editor.rowButton(step("after :17 #1"), "Does an Execution Go This Way?");
    await editor.see(step("after :17 #1").filter({ hasText: "no execution goes this way" }));
    await editor.see(step(/^no execution goes this way/));
  });

  await stop("way-out-of-date", async () => {
    await editor.go(39);
    await page.keyboard.press("End");
    await page.keyboard.type(" ");
    await editor.see(line(18).filter({ hasText: "out of date" }));
    await editor.see(page.locator(".tree-explorer-viewlet-tree-view .message", { hasText: "The program or the settings have changed since." }));
    assert.deepEqual(await marks(), []);
    await editor.picture("way-old");
    // The document is saved before.
    await editor.rowButton(line(18), "Go Back Again");
    await editor.see(line(18).filter({ hasText: "fails" }));
    await editor.see(step("if first != "));
    assert.equal(await page.locator(".tab.active.dirty").count(), 0);
  });

  await stop("way-from-a-question", async () => {
    await editor.fold("Found Paths");
    await editor.file("Sorted.oox", 22);
    await editor.press("Can This Line Be Reached?");
    const row = await answered("Can line 22 be reached?", "yes, 2 paths");
    await editor.rowButton(row, "Go Back by Hand");
    await editor.see(line(22, "Sorted.oox").filter({ hasText: "is reached" }));
    await editor.see(step("from Main.main(int, int)"));
    await expand(step("from Sorted.insert(int)"));
    for (const number of [22, 21, 17]) await expand(step(new RegExp(`^Sorted\\.oox:${number}\\s.*if `)));
    await editor.see(step("the start of Sorted.insert(int)"));
    await editor.rowButton(step("the start of Sorted.insert(int)"), "Does an Execution Go This Way?");
    await editor.see(step("the start of Sorted.insert(int)").filter({ hasText: "yes, 1 path" }));
    await editor.picture("way-start");
    await editor.rowButton(line(22, "Sorted.oox"), "Remove");
    await editor.see(page.locator(".welcome-view-content", { hasText: "choose line by line" }));
  });

  await stop("oox", async () => {
    await editor.file("Sorted.oox", 34);
    await editor.see(page.locator(".statusbar-item", { hasText: "OOX" }));
    assert.ok((await page.locator(".view-line .mtk1").count()) > 0);
    assert.notEqual(await color("class"), await color("insert"), "the grammar colours keywords");
    await pressLens(page.getByText("can this assertion fail?").first(), "Can line 34 fail?");
    await answered("Can line 34 fail?", "no (");
    await editor.go(22);
    await editor.press("Can This Line Be Reached?");
    await answered("Can line 22 be reached?", "yes, 2 paths");
    await editor.see(editor.row("a = 1, b = 2"));
  });

  await stop("oox-debugger", async () => {
    await editor.rowButton(editor.row(/^[12]\. .*a = 1, b = 2/), "Replay in the Debugger");
    await showsDebugger();
    assert.equal(await movesFrom(undefined), 29);
    await editor.see(variable("a"));
    assert.match(await variable("a").getAttribute("aria-label"), /\(input\)/);
    await debuggerButton("Continue").click();
    assert.equal(await movesFrom(29), 22);
    await debuggerButton("Step Back").click();
    await movesFrom(22);
    await debuggerButton("Stop").click();
    await debuggerButton("Stop").waitFor({ state: "hidden" });
    await page.locator('.activitybar [aria-label^="aback"]').first().click();
  });

  await stop("cancelled", async () => {
    await editor.file("Hard.oox", 5);
    await editor.press("Can This Line Fail?");
    const row = editor.row("Can line 5 fail?");
    await editor.see(row.filter({ hasText: /[1-9] s of 30 s, \d+ paths? explored/ }));
    await editor.see(page.locator(".statusbar-item", { hasText: "Can Hard.oox:5 fail?" }));
    await editor.picture("running");
    await editor.rowButton(row, "Cancel");
    await answered("Can line 5 fail?", "cancelled");
  });

  await stop("way-cancelled", async () => {
    await editor.command("aback: Go Back From What Fails Here");
    const first = step(/^Hard\.oox:5\s.*if /);
    await editor.rowButton(first, "Does an Execution Go This Way?");
    await editor.see(first.filter({ hasText: /[1-9] s of 30 s/ }));
    await editor.picture("way-running");
    await editor.rowButton(first, "Cancel");
    await editor.see(first.filter({ hasText: "cancelled" }));
  });

  await stop("unknown", async () => {
    await editor.set({ "aback.timeout": 2 });
    await editor.rowButton(editor.row("Can line 5 fail?"), "Ask Again");
    await answered("Can line 5 fail?", /unknown \([1-6]/);
    await editor.see(editor.row("solver: "));
  });

  await stop("way-unknown", async () => {
    await editor.command("aback: Go Back From What Fails Here");
    await editor.rowButton(step(/^Hard\.oox:5\s.*if /), "Does an Execution Go This Way?");
    await editor.see(step("unknown ("));
    await editor.see(step("solver: "));
    await editor.set({ "aback.timeout": 30 });
  });

  if (process.env.DOTNET_ROOT || spawnSync("dotnet", ["--version"]).status === 0) {
    await stop("csharp", async () => {
      await editor.file("Stock.cs", 14);
      await editor.press("Can This Line Fail?");
      await answered("Can line 14 fail?", /yes, \d path/);
      await editor.see(editor.row("count ="));
      await editor.rowButton(editor.row("assertion can be false"), "Replay in the Debugger");
      await showsDebugger();
      assert.equal(await movesFrom(undefined), 9);
      await editor.see(variable("count"));
      await debuggerButton("Continue").click();
      assert.equal(await movesFrom(9), 14);
      await debuggerButton("Step Back").click();
      await movesFrom(14);
      await editor.picture("csharp-debugger");
      await debuggerButton("Stop").click();
      await debuggerButton("Stop").waitFor({ state: "hidden" });
      await page.locator('.activitybar [aria-label^="aback"]').first().click();
      await editor.file("Stock.cs", 14);
      await editor.command("aback: Go Back From What Fails Here");
      // Calls of libraries begin again at their line.
      await expand(step(/^Stock\.cs:14\s.*after /));
      await expand(step(/^Stock\.cs:14\s(?!.*after ).*if /));
      await editor.see(line(13, "Stock.cs"));
    });
  } else console.log("  left out: C#, for there is no .NET");

  await stop("findings", async () => {
    await editor.set({ "aback.findings": true });
    await editor.file("Rates.java", 8);
    await editor.see(page.locator(".squiggly-warning"), 60);
    await editor.command("Problems: Focus on Problems View");
    await editor.see(page.locator(".markers-panel .monaco-list-row", { hasText: "ArithmeticException" }));
  });

  const action = async (title) => {
    await editor.go(8);
    await page.keyboard.press("Control+.");
    const row = page.locator(".action-widget .monaco-list-row", { hasText: title }).first();
    await editor.see(row);
    // The menu takes no click until the mouse has moved.
    await page.mouse.move(400, 700);
    await page.mouse.move(405, 705);
    await row.click();
  };
  await stop("finding-replayed", async () => {
    await action("aback: replay");
    await answered("Can line 8 fail?", /yes, \d path/);
    await pageShows(/^$|violated/);
  });

  await stop("finding-suppressed", async () => {
    await page.locator(".tab", { hasText: "Rates.java" }).first().click();
    await action("aback: suppress this finding");
    await editor.see(page.locator(".view-line", { hasText: "aback-ignore:" }));
    await editor.command("File: Revert File");
    await editor.set({ "aback.findings": false });
  });

  await stop("missing", async () => {
    await editor.set({ "aback.path": join(work, "nothing") });
    const message = page.locator(".notification-toast", { hasText: "The program aback is missing" });
    await editor.see(message);
    assert.equal(await page.locator(".notification-toast").count(), 1, "there is one message");
    await editor.picture("missing-message");
    await message.getByRole("button", { name: "Open the Setting" }).click();
    await editor.see(page.locator(".settings-editor .setting-item-contents", { hasText: "The program aback: a name to look for" }));
  });

  await stop("log", async () => {
    await editor.set({ "aback.path": aback });
    await editor.command("aback: Show the Log");
    const channel = page.locator(".part.panel select").first();
    const shown = () => channel.evaluate((select) => select.selectedOptions[0]?.textContent);
    await until(async () => (await shown()) === "aback", 20, () => "the log is not shown");
  });
}

/** The colour of the first word in the source that is this one. */
async function color(word) {
  const span = page.locator(".view-line span span", { hasText: new RegExp(`^\\s*${word}\\s*$`) }).first();
  return await span.evaluate((span) => getComputedStyle(span).color);
}

let failure;
try {
  await scenario();
} catch (error) {
  failure = error;
  await editor.picture("failed").catch(() => {});
}
await editor.close();
rmSync(work, { recursive: true, force: true, maxRetries: 5 });
if (failure !== undefined) {
  console.error(failure);
  console.error(`the screenshot of the failure is ${join(pictures, "failed.png")}`);
  process.exit(1);
}
