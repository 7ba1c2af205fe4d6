#!/usr/bin/env python3
"""Says how long a scan would take in so many parts, from the answers of one that has been made:

    contrib/cluster/simulate.py .aback-scan/answers.jsonl --load 4 --parts 1 2 16 100 1000 --times 100

A part loads the program and asks its questions one after the other, as `--shard K/N --jobs 1` does. `--load` is the time of loading in
seconds, and `--times` asks each question so many times, for a larger program of the same kind. The scan ends with its last part.
"""

import argparse
import json


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("answers")
    parser.add_argument("--load", type=float, required=True)
    parser.add_argument("--parts", type=int, nargs="+", default=[1, 2, 16, 100, 1000])
    parser.add_argument("--times", type=int, default=1)
    arguments = parser.parse_args()
    # The last answer about an entry point is the one that counts, but all of them took time.
    spent: dict[str, float] = {}
    with open(arguments.answers, encoding="utf-8") as file:
        for line in file:
            answer = json.loads(line) if line.strip() else {}
            if "entry" in answer:
                spent[answer["entry"]] = spent.get(answer["entry"], 0) + answer["took"]
    questions = sorted(spent) * arguments.times
    print(f"{len(questions)} questions, {sum(spent.values()) * arguments.times:.0f} s in all\n\n| parts | time |\n| --- | --- |")
    for parts in arguments.parts:
        if parts <= len(questions):
            last = max(sum(spent[name] for name in questions[part::parts]) for part in range(parts))
            print(f"| {parts:,} | {arguments.load + last:.0f} s |")


if __name__ == "__main__":
    main()
