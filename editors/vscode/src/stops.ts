// The lines on a way back, and how the tree shows them. Knows nothing of the editor.

import { basename } from "node:path";
import { Place } from "./answers";

/** A line from which control comes to the chosen ones. */
export interface Stop {
  /** Its number, by which the server knows it. */
  node: number;
  place: Place;
  text: string;
  /** Whether it is the start of the entry point. */
  is_start: boolean;
  /** From where control comes there. The number, from 1, tells apart activations and iterations. */
  before: [Place, number][];
  /** What must hold before the line so that an execution goes along the chosen ones; empty if it is not known. */
  condition: string;
}

/** Where control comes from: entry points, if none was chosen, or otherwise lines. */
export interface Before {
  entries: string[];
  stops: Stop[];
}

export function nameOf(place: Place): string {
  return `${basename(place.file)}:${place.line}`;
}

/** A place and the text of its line, which is cut: what follows it in the view matters more. */
export function lineAt(place: Place, text: string): string {
  return `${nameOf(place)}  ${text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT - 1)}…` : text}`;
}

const MOST_TEXT = 24;

export function labelOf(stop: Stop, entry: string): string {
  return stop.is_start ? `the start of ${entry}` : lineAt(stop.place, stop.text);
}

/** From where control comes to a stop: `after :3 #2 #1`. Empty if there is nothing before it. */
export function originOf(stop: Stop): string {
  const numbers = new Map<string, number[]>();
  for (const [place, number] of stop.before) {
    const name = place.file === stop.place.file ? `:${place.line}` : nameOf(place);
    numbers.set(name, [...(numbers.get(name) ?? []), number]);
  }
  const places = [...numbers].map(([name, all]) => [name, ...all.map((number) => `#${number}`)].join(" "));
  return places.length === 0 ? "" : `after ${places.join(", ")}`;
}

/** Whether another stop is at the same line, so that only what comes before tells them apart. */
export function hasTwin(stop: Stop, all: Stop[]): boolean {
  return all.some((other) => other !== stop && nameOf(other.place) === nameOf(stop.place));
}

export function conditionOf(stop: Stop): string {
  return stop.condition === "" ? "the condition is unknown" : `if ${stop.condition}`;
}

/** The parts of a condition that must all hold, for text that has several lines. */
export function conjunctsOf(condition: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const piece of condition.split(/([()]| && )/)) {
    if (piece === " && " && depth === 0) parts.push("");
    else parts[parts.length - 1] += piece;
    if (piece === "(") depth += 1;
    if (piece === ")") depth -= 1;
  }
  return parts;
}
