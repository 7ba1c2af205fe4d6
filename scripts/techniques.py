#!/usr/bin/env python3
"""Compares techniques for valid inputs as paper 3 does: the methods of classes, and pairs of their methods.

Usage: techniques.py ABACK STRUCTURES [--limit SECONDS] [--wait SECONDS] [--depth N] [--scope N] [--techniques LIST] [--out FILE]
                     [CLASS…]

STRUCTURES is a folder with CLASS.java, class.hex (the sentences of the class) and class-bound.hex (the bounds, which are the same
for all techniques). Classes of the JDK have CLASS-bound.hex there, shipped sentences with those in CLASS.hex, and no `repOk`, so that invalid traces are not known. Prints tables in Markdown. The runs are also written to FILE as JSON lines; those that are already there
are not repeated.
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import resource
import signal
import statistics
import subprocess
import tempfile
import threading

# The public methods whose pairs are examined. Other classes have no pairs.
PAIRED = {
    "LinkedSequence": ["removeLast", "get", "addFirst"],
    "RedBlackMap": ["containsKey", "put"],
    "AvlSet": ["contains", "add"],
    "CachingRing": ["addLast", "removeLast"],
}
# Entry points that are no public methods of a data structure.
PROGRAMS = {"ScopeVisitor": ["names"], "LabelRenamer": ["rename"]}
# Classes of the JDK: techniques that call `repOk` are not for them.
LIBRARY = ["java.util.LinkedList", "java.util.TreeMap"]
TECHNIQUES = ["lazy", "before", "along", "HEX", "bounded"]
# The same without the search for a valid input at the end of each path.
ALONE = {"lazy alone": "lazy", "HEX alone": "HEX"}
METHOD = re.compile(r"^    public (\S+) (\w+)\((.*)\) \{$", re.M)


class Run:
    """The result of one technique on one entry point."""

    def __init__(self, row):
        self.row = row
        counts = row["counts"] or {"traces": row["paths"], "invalid": 0, "alarms": 0, "false_alarms": 0}
        self.traces, self.invalid = counts["traces"], counts["invalid"]
        self.alarms, self.false_alarms = counts["alarms"], counts["false_alarms"]
        self.valid = self.traces - self.invalid
        self.time = row["time"]
        # A run is finished if it has seen all paths within the bounds, with an input or without.
        given_up = ("paths of more than", "no inputs that satisfy the invariants", "inputs that satisfy", "inputs of type")
        self.is_done = all(not gap or gap.startswith(given_up) for gap in row["reason"].split("; "))

    def cell(self):
        end = f"{self.time:.2f} s" if self.is_done else "–"
        return f"{self.traces} / {self.invalid}, {self.alarms} / {self.false_alarms}, {end}"


def library(name):
    """A class that calls each public method of a JDK class whose parameters are numbers or elements, and its methods."""
    declared = subprocess.run(["javap", "-public", name], check=True, capture_output=True, text=True).stdout
    arguments = "<Integer>" if "<E>" in declared.split("{")[0] else "<Integer, Integer>"
    methods = {}
    for result, method, params in re.findall(r"^  public (?:final )?([\w.$<>, ]+) (\w+)\((.*)\)", declared, re.M):
        params = params.split(", ") if params else []
        if "static" in result or method in ("clone", "toArray") or not set(params) <= {"int", "boolean", "E", "K", "V", "java.lang.Object"}:
            continue
        number = sum(known.split("_")[0] == method for known in methods)
        types = [param if param in ("int", "boolean") else "Integer" for param in params]
        declaration = "".join(f", {ty} a{index}" for index, ty in enumerate(types))
        values = [f"(Object) a{index}" if param == "java.lang.Object" else f"a{index}" for index, param in enumerate(params)]
        call = f"self.{method}({', '.join(values)})"
        entry = f"{method}_{number}" if number else method
        methods[entry] = f"    static void {entry}({name}{arguments} self{declaration}) {{ {call}; }}\n"
    return f"class {simple(name)} {{\n{''.join(methods.values())}}}\n", [(method, False) for method in methods]


def simple(name):
    """The class that has the entry points."""
    return f"Jdk{name.split('.')[-1]}" if name in LIBRARY else name


def targets(folder, name):
    """The entry points of a class: the source that has them, and for each its name and whether it is a pair."""
    if name in LIBRARY:
        return library(name)
    source = (folder / f"{name}.java").read_text()
    if name in PROGRAMS:
        return source, [(method, False) for method in PROGRAMS[name]]
    methods = {method: params for _, method, params in METHOD.findall(source) if method != "repOk"}
    entries = [(method, False) for method in methods]
    added = []
    for one, other in itertools.product(PAIRED.get(name, []), repeat=2):
        params, calls = [], []
        for number, method in enumerate((one, other)):
            names = [f"{param.split()[1]}{number}" for param in methods[method].split(", ") if param]
            params += [f"{param.split()[0]} {new}" for param, new in zip(methods[method].split(", "), names)]
            calls.append(f"{method}({', '.join(names)});")
        added.append(f"    public void {one}_{other}({', '.join(params)}) {{ {' '.join(calls)} }}\n")
        entries.append((f"{one}_{other}", True))
    end = source.rindex("}")
    return source[:end] + "".join(added) + source[end:], entries


def cpu_time():
    """The time that ended child processes have taken of the processor: other work on the machine matters less to it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, limit):
    """The output of a program, which is interrupted when it has used so many seconds of the processor."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        is_over = threading.Event()

        def watch():
            ticks = os.sysconf("SC_CLK_TCK")
            while not is_over.wait(0.05):
                fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
                if (int(fields[11]) + int(fields[12])) / ticks > limit:
                    process.send_signal(signal.SIGINT)
                    return

        watcher = threading.Thread(target=watch)
        watcher.start()
        output = process.stdout.read()
        is_over.set()
        watcher.join()
        return output


def measure(options, work, name, entry, technique):
    """Runs a technique on an entry point: up to three times, the median of the times of the processor."""
    folder = pathlib.Path(options.structures)
    is_library = name in LIBRARY
    bound = folder / f"{name if is_library else name.lower()}-bound.hex"
    sentences = pathlib.Path(__file__).parent.parent / "invariants" / f"{name}.hex" if is_library else folder / f"{name.lower()}.hex"
    command = [options.aback, "explore", str(work / name), "--entry", f"{simple(name)}.{entry}", "--json"]
    command += ["--timeout", str(options.wait), "--depth", str(options.depth), "--behaviours", "1000000"]
    kind = ALONE.get(technique, technique)
    if kind in ("HEX", "bounded"):
        both = work / f"{name.lower()}.hex"
        more = folder / f"{name}.hex"
        both.write_text("".join(file.read_text() for file in (sentences, bound, more) if file.exists()))
        command += ["--invariants", str(both)]
    else:
        command += ["--invariants", str(bound)]
    if kind == "bounded":
        command += ["--scope", str(options.scope)]
    if kind in ("before", "along"):
        command += ["--valid-inputs", kind]
    if technique in ALONE:
        command += ["--valid-method", "doesNotExist"]
    times = []
    while len(times) < 3 and sum(times) < 1:
        before = cpu_time()
        output = run(command, options.limit)
        times.append(cpu_time() - before)
    try:
        answer = json.loads(output)
    except ValueError:
        raise SystemExit(f"{' '.join(command)}\n{output}")
    return {
        "class": name,
        "entry": entry,
        "technique": technique,
        "counts": answer.get("counts"),
        "paths": sum(behaviour["paths"] for behaviour in answer["behaviours"]),
        "without": answer["without_inputs"],
        "reason": answer["reason"],
        "time": statistics.median(times),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("aback")
    parser.add_argument("structures")
    parser.add_argument("--limit", type=float, default=20, help="most seconds of the processor for a run")
    parser.add_argument("--wait", type=float, default=120, help="most seconds for a run")
    parser.add_argument("--depth", type=int, default=3000)
    parser.add_argument("--scope", type=int, default=10, help="most objects of bounded model finding")
    parser.add_argument("--techniques", default=",".join([*TECHNIQUES, *ALONE]), help="those to measure, with commas")
    parser.add_argument("--out", default="techniques.jsonl")
    parser.add_argument("classes", nargs="*")
    options = parser.parse_args()
    folder = pathlib.Path(options.structures)
    classes = options.classes or [*PROGRAMS, *PAIRED, "FlightPlan"]
    out = pathlib.Path(options.out)
    rows = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    known = {(row["class"], row["entry"], row["technique"]): row for row in rows}
    pairs, todo = set(), []
    with tempfile.TemporaryDirectory() as temporary, out.open("a") as log:
        work = pathlib.Path(temporary)
        for name in classes:
            source, entries = targets(folder, name)
            file = work / f"{simple(name)}.java"
            file.write_text(source)
            subprocess.run(["javac", "-g", "-nowarn", "-d", work / name, file], check=True)
            pairs.update((name, entry) for entry, is_pair in entries if is_pair)
            todo += [(name, entry, is_pair) for entry, is_pair in entries]
        # Single methods first.
        todo.sort(key=lambda entry: entry[2])
        for name, entry, is_pair in todo:
            for technique in options.techniques.split(","):
                if name in LIBRARY and technique in ("before", "along"):
                    continue
                # Without the search it would hardly end, either.
                lazy = known.get((name, entry, "lazy"))
                if technique == "lazy alone" and (is_pair or not lazy or not Run(lazy).is_done):
                    continue
                key = (name, entry, technique)
                if key not in known:
                    known[key] = measure(options, work, name, entry, technique)
                    log.write(json.dumps(known[key]) + "\n")
                    log.flush()
    runs = {key: Run(row) for key, row in known.items() if key[0] in classes}
    report(runs, pairs, [technique for technique in TECHNIQUES if technique in options.techniques.split(",")])


def table(header, rows):
    print("\n| " + " | ".join(header) + " |\n|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")


def spread(values):
    """The median of ratios, with the least and the greatest."""
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})" if values else "–"


def report(runs, pairs, techniques):
    names = list(dict.fromkeys((name, entry) for name, entry, _ in runs))
    single = [name for name in names if name not in pairs]
    table(["", *techniques], [[f"`{'.'.join(name)}`", *(runs[*name, each].cell() for each in techniques)] for name in single])
    sums = []
    for name in dict.fromkeys(name for name, _ in pairs):
        entries = [entry for other, entry in names if (other, entry) in pairs and other == name]
        cells = [sum_of([runs[name, entry, technique] for entry in entries]) for technique in techniques]
        sums.append([f"`{name}`", len(entries), *cells])
    table(["pairs", "", *techniques], sums)
    for title, chosen in [("single methods", single), ("pairs", sorted(pairs)), ("all", names)]:
        print(f"\n{title}: {len(chosen)}")
        header = ["", "finished", "invalid traces", "false alarms", "no input", "time / HEX", "with lower bounds", "R to lazy"]
        table(header, [summary(runs, chosen, technique) for technique in [*techniques, *(each for each in ALONE if any(key[2] == each for key in runs))]])


def sum_of(runs):
    total = lambda part: sum(getattr(run, part) for run in runs)
    counts = f"{total('traces')} / {total('invalid')}, {total('alarms')} / {total('false_alarms')}"
    return f"{counts}, {total('is_done')} finished, {total('time'):.1f} s"


def summary(runs, chosen, technique):
    """A technique on all chosen entry points, compared with HEX in time and with plain lazy initialization in valid traces."""
    got = [name for name in chosen if (*name, technique) in runs]
    base = "HEX alone" if technique in ALONE else "HEX"
    with_hex = [(runs[*name, technique], runs[*name, base]) for name in got if (*name, base) in runs]
    both = [run.time / other.time for run, other in with_hex if run.is_done and other.is_done]
    # A run that did not finish takes longer than its limit.
    bounds = [run.time / other.time for run, other in with_hex if other.is_done]
    is_comparable = lambda name: technique not in ALONE and (*name, "lazy") in runs
    with_lazy = [(runs[*name, technique], runs[*name, "lazy"]) for name in got if is_comparable(name)]
    ratios = [run.valid / lazy.valid for run, lazy in with_lazy if run.is_done and lazy.is_done and lazy.valid]
    total = lambda part: sum(getattr(runs[*name, technique], part) for name in got)
    without = sum(runs[*name, technique].row["without"] for name in got)
    counts = [total("is_done"), total("invalid"), total("false_alarms"), without]
    return [technique, *counts, f"{spread(both)} of {len(both)}", f"{spread(bounds)} of {len(bounds)}", spread(ratios)]


if __name__ == "__main__":
    main()
