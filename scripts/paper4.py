#!/usr/bin/env python3
"""Repeats the detailed tables of paper 4 (4.4 to 4.6, 4.8, 4.9, 4.11, 4.12, 4.15): single tasks with the heuristics that each compares.

    scripts/paper4.py ABACK OOX_TASKS [--timeout SECONDS]

prints the tables as Markdown. Times are those of the process, with its start.
"""

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

# Without what aback has beside the paper's heuristics.
BARE = "--jobs 1 --loops off --no-attack --no-models --no-slice --no-ahead --subsume never --merge never"
NONE = f"{BARE} --no-rules --no-intervals --prune never --cache off"
EVALUATION = f"{BARE} --no-intervals --prune never --cache off"
INTERVALS = f"{BARE} --prune never --cache off"
CONFIGURATIONS = {
    "NH": NONE,
    "EEE": EVALUATION,
    "II": INTERVALS,
    "II2": f"{INTERVALS} --interval-iterations 2",
    "II+PP": f"{BARE} --prune probabilistic --cache off",
    "II+AP": f"{BARE} --prune adaptive --cache off",
    "II+CP": f"{BARE} --prune constant --cache off",
    "II+CP+EC": f"{BARE} --prune constant --cache plain",
    "II+CP+NEC": f"{BARE} --prune constant --cache normalised",
    "default": "",
}
EXPRESSIONS = ["NH", "EEE", "II", "II2", "default"]
PRUNING = ["II", "II+PP", "II+AP", "II+CP", "default"]
CACHING = ["II+CP", "II+CP+EC", "II+CP+NEC", "default"]
TABLES = {
    "4.4": ("algorithms/BellmanFord-FunUnsat01", EXPRESSIONS),
    "4.5": ("MinePump/spec1-5_product15", EXPRESSIONS),
    "4.6": ("algorithms/MergeSortIterative-FunUnSat01", EXPRESSIONS),
    "4.8": ("jayhorn-recursive/UnsatFibonacci01", PRUNING),
    "4.9": ("algorithms/MergeSortIterative-FunUnSat01", PRUNING),
    "4.11": ("algorithms/MergeSortIterative-FunUnSat01", CACHING),
    "4.12": ("jayhorn-recursive/UnsatFibonacci01", CACHING),
    "4.15, first task": ("jayhorn-recursive/UnsatFibonacci01", ["default"]),
    "4.15, first task, as its text names it": ("jayhorn-recursive/UnsatFibonacci02", ["default"]),
    "4.15, second task": ("MinePump/spec1-5_product15", ["default"]),
    "4.15, third task": ("MinePump/spec1-5_product62", ["default"]),
}
HEAD = "| | verdict | time | memory | depth | paths | pruned | probability | hits of the cache | calls of the solver |"


def run(aback: str, tasks: Path, task: str, options: str, timeout: float) -> str:
    """The row of a run."""
    command = [aback, "check", str(tasks / f"{task}.oox"), "--property", str(tasks / "properties/assert_java.prp"),
               "--timeout", str(timeout), "--memory", "12000", "--json", *options.split()]
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    said = json.load(process.stdout)
    _, _, usage = os.wait4(process.pid, 0)
    seconds, memory = time.monotonic() - start, usage.ru_maxrss / 1024
    found = said["statistics"]
    solving = found["solving"]
    hits = sum(solving[stage]["answered"] for stage in ("cache", "normalised"))
    probability = found["prune_probability"]
    shown = "" if probability is None else f"{100 * probability:.0f}%"
    return (f"{said['verdict']} | {seconds:.3f} s | {memory:.0f} MB | {found['depth']} | {found['paths']} | {found['pruned']} | "
            f"{shown} | {hits} | {solving['solver']['asked']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("aback")
    parser.add_argument("tasks", type=Path)
    parser.add_argument("--timeout", type=float, default=100)
    arguments = parser.parse_args()
    known = {}
    for number, (task, names) in TABLES.items():
        print(f"\nTable {number}: `{task}`\n\n{HEAD}\n|{' --- |' * 10}")
        for name in names:
            if (task, name) not in known:
                options = CONFIGURATIONS[name]
                known[task, name] = run(arguments.aback, arguments.tasks, task, options, arguments.timeout)
            print(f"| {name} | {known[task, name]}", flush=True)


if __name__ == "__main__":
    main()
