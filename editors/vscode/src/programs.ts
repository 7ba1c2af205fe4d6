// Which files belong to a program, and when they change.

import { extname, isAbsolute } from "node:path";
import * as vscode from "vscode";
import { Place } from "./answers";

/** Whether two files belong to the same program: those of a language in a folder. A file in OOX is a program of its own. */
export function isSameProgram(one: vscode.Uri, other: vscode.Uri): boolean {
  if (one.toString() === other.toString()) return true;
  const language = extname(one.path);
  const folder = vscode.workspace.getWorkspaceFolder(one);
  const isTogether = folder !== undefined && folder === vscode.workspace.getWorkspaceFolder(other);
  return isTogether && language !== ".oox" && language === extname(other.path);
}

/** A text without the folder of the program, which is too long for a view. */
export function short(text: string, program: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(program)?.uri ?? vscode.Uri.joinPath(program, "..");
  return text.replaceAll(`${folder.fsPath}/`, "");
}

/** The file of a place in the program of a file. Class files name their sources without the folders above the packages. */
export function fileOf(place: Place, program: vscode.Uri): vscode.Uri {
  if (isAbsolute(place.file)) return vscode.Uri.file(place.file);
  if (program.path.endsWith(`/${place.file}`)) return program;
  const folder = vscode.workspace.getWorkspaceFolder(program);
  return folder === undefined ? program : vscode.Uri.joinPath(folder.uri, place.file);
}

/** Saves a file, because the server knows what is saved. Whether it is. */
export async function save(uri: vscode.Uri): Promise<boolean> {
  const document = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  return !document?.isDirty || (await document.save());
}

/** Calls back with each file that changes, in the editor or elsewhere, and with the time. */
export function onChange(changed: (uri: vscode.Uri, time: number) => void): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher("**/*.{java,cs,oox}");
  const written = async (uri: vscode.Uri) =>
    changed(uri, await vscode.workspace.fs.stat(uri).then((file) => file.mtime, () => Date.now()));
  const edited = vscode.workspace.onDidChangeTextDocument((event) => {
    if (event.contentChanges.length > 0) changed(event.document.uri, Date.now());
  });
  watcher.onDidChange(written);
  watcher.onDidCreate(written);
  watcher.onDidDelete(written);
  return vscode.Disposable.from(watcher, edited);
}
