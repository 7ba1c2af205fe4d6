#!/usr/bin/env python3
"""Tests the tool-info module with a small stand-in for BenchExec.

Usage: test_aback.py ABACK

ABACK is the program. It is run with the command lines that the module makes for the sample tasks.
"""

import collections
import pathlib
import re
import subprocess
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent

Task = collections.namedtuple("Task", "input_files property_file")
Limits = collections.namedtuple("Limits", "cputime walltime", defaults=(None, None))
ExitCode = collections.namedtuple("ExitCode", "value signal")
Run = collections.namedtuple("Run", "output exit_code")


def stand_in():
    """The parts of BenchExec that the module uses, with the values that BenchExec gives them."""
    result = types.ModuleType("benchexec.result")
    result.RESULT_TRUE_PROP, result.RESULT_FALSE_PROP = "true", "false"
    result.RESULT_UNKNOWN, result.RESULT_ERROR = "unknown", "ERROR"
    template = types.ModuleType("benchexec.tools.template")
    template.BaseTool2 = object
    tools = types.ModuleType("benchexec.tools")
    tools.template = template
    benchexec = types.ModuleType("benchexec")
    benchexec.result, benchexec.tools = result, tools
    for module in (benchexec, result, tools, template):
        sys.modules[module.__name__] = module


def check(case, found, expected):
    if found != expected:
        sys.exit(f"{case}: {found!r} instead of {expected!r}")


def test_outputs(tool):
    """Outputs with exit statuses, and what they mean."""
    cases = [
        ("holds: no execution violates anything", 0, None, "true"),
        ("warning: a\nviolated: assert can be false", 1, None, "false"),
        ("unknown: the time is up", 3, None, "unknown"),
        ("holds within bounds: no execution within them violates anything", 3, None, "unknown"),
        ("error: there is no class `A`", 2, None, "ERROR (there is no class `A`)"),
        # The verdict and the exit status must agree, and a process that was killed has no answer.
        ("holds: no execution violates anything", 1, None, "ERROR"),
        ("holds within bounds: no execution within them violates anything", 0, None, "ERROR"),
        ("violated: assert can be false", 0, None, "ERROR"),
        ("violated: assert can be false", None, 9, "ERROR"),
        ("thread 'main' panicked", 101, None, "ERROR"),
        ("", 0, None, "ERROR"),
    ]
    for output, value, signal, expected in cases:
        run = Run(output.split("\n"), ExitCode(value, signal))
        check(output, tool.determine_result(run), expected)


def test_command_lines(tool):
    task = Task(("a/", "b/"), "p.prp")
    cases = [
        ([], Limits(), "aback check --property p.prp a/ b/"),
        (["--stats"], Limits(cputime=900), "aback check --stats --property p.prp --timeout 900 a/ b/"),
        ([], Limits(cputime=900, walltime=60), "aback check --property p.prp --timeout 60 a/ b/"),
        (["--timeout", "5"], Limits(cputime=900), "aback check --timeout 5 --property p.prp a/ b/"),
    ]
    for options, limits, expected in cases:
        check(expected, " ".join(tool.cmdline("aback", options, task, limits)), expected)


def test_sample(tool, aback):
    """Runs the sample tasks, whose definitions have the expected verdicts."""
    for definition in sorted(HERE.glob("tasks/*.yml")):
        text = definition.read_text()
        inputs = [str(definition.parent / path) for path in re.findall(r"^input_files: (.*)$", text, re.M)]
        properties = re.findall(r"property_file: (\S+)\n\s+expected_verdict: (\w+)", text)
        check(f"properties of {definition.name}", len(properties), 2)
        for name, expected in properties:
            task = Task(inputs, str(definition.parent / name))
            command = tool.cmdline(aback, ["--stats"], task, Limits(walltime=100))
            ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            run = Run(ran.stdout.splitlines(), ExitCode(ran.returncode, None))
            case = f"{definition.name} {name}\n{ran.stdout}"
            check(case, tool.determine_result(run), expected)
            check(case, tool.get_value_from_output(run.output, "operations").isdigit(), True)
            check(case, tool.get_value_from_output(run.output, "no such thing"), None)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    stand_in()
    sys.path.insert(0, str(HERE))
    import aback

    tool = aback.Tool()
    test_outputs(tool)
    test_command_lines(tool)
    test_sample(tool, sys.argv[1])
    print("ok")


if __name__ == "__main__":
    main()
