#!/usr/bin/env python3
"""Scans a program with the workers of a HyperQueue server, in parts.

    hq server start &        # and on each machine:
    hq worker start &
    python hyperqueue_scan.py --parts 16 --folder parts -- PATH… [OPTIONS OF aback scan]

Needs HyperQueue (https://it4innovations.github.io/hyperqueue), whose command and Python package are `hyperqueue` on PyPI. The folder with
the answers must be on a file system that all machines share. If a worker dies, its part is started again elsewhere and goes on where it
was: at most the questions at hand are lost.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from hyperqueue import Client, Job
from hyperqueue.ffi.protocol import ResourceRequest

# Starts of a part before it is given up, if workers die.
MOST_STARTS = 5


def command(part, arguments):
    """The shell command of one part, whose findings are no failure."""
    scan = [arguments.aback, "scan", *arguments.scan, "--jobs", str(arguments.cores)]
    scan += ["--shard", f"{part}/{arguments.parts}", "--out", str(arguments.folder / str(part))]
    return ["sh", "-c", '"$@"; status=$?; [ $status -eq 1 ] || exit $status', "aback", *scan]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", type=int, default=16, help="number of parts")
    parser.add_argument("--cores", type=int, default=1, help="cores for each part")
    parser.add_argument("--folder", type=Path, default=Path(".aback-parts"), help="where the answers are kept")
    parser.add_argument("--server", type=Path, help="the directory of the server [default: ~/.hq-server]")
    parser.add_argument("--aback", default="aback", help="the program, as workers find it [default: aback]")
    parser.add_argument("scan", nargs="+", help="paths and options of `aback scan`, after `--`")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.resolve()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    job = Job(name="aback-scan", max_fails=0)
    for part in range(1, arguments.parts + 1):
        output = str(arguments.folder / f"{part}.log")
        job.program(
            command(part, arguments),
            cwd=str(Path.cwd()),
            stdout=output,
            stderr=output,
            name=f"part {part}",
            crash_limit=MOST_STARTS,
            resources=ResourceRequest(cpus=arguments.cores),
        )
    client = Client(arguments.server)
    client.wait_for_jobs([client.submit(job)], raise_on_error=True)
    collect = [option for part in range(1, arguments.parts + 1) for option in ("--collect", str(arguments.folder / str(part)))]
    return subprocess.run([arguments.aback, "scan", *arguments.scan, *collect, "--out", str(arguments.folder / "all")]).returncode


if __name__ == "__main__":
    sys.exit(main())
