#!/usr/bin/env python3
"""Writes the licences of everything that is in the packages besides aback itself: the crates that are linked into the
binary, the standard library of Rust, and Z3. Fails if a crate declares no licence."""
import json
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
# The beginnings of the names of files that have licences or notices.
NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense", "authors")
RULE = "=" * 78


def linked_crates():
    """The crates of others that the binary is made of, in the order of their names: not those of tests and of build scripts."""
    version = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    host = next(line.split()[1] for line in version.splitlines() if line.startswith("host:"))
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", host]
    metadata = json.loads(subprocess.run(command, cwd=SOURCES, check=True, capture_output=True).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [id for id, package in packages.items() if package["name"] == "aback"]
    found = set(waiting)
    while waiting:
        for dependency in nodes[waiting.pop()]["deps"]:
            is_linked = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if is_linked and dependency["pkg"] not in found:
                found.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    crates = [packages[id] for id in found if packages[id]["source"]]
    return sorted(crates, key=lambda crate: (crate["name"], crate["version"]))


def texts(crate):
    """The licences and notices in the sources of a crate, those of bundled libraries included."""
    folder = Path(crate["manifest_path"]).parent
    files = {path for path in folder.rglob("*") if path.is_file() and path.name.lower().startswith(NAMES)}
    if crate["license_file"]:
        files.add(folder / crate["license_file"])
    read = ((path.relative_to(folder), path.read_text(errors="replace").strip()) for path in sorted(files))
    return [(name, text) for name, text in read if text and name.suffix not in (".rs", ".h", ".c", ".sh", ".py")]


def main():
    crates = linked_crates()
    unlicensed = [crate["name"] for crate in crates if not crate["license"] and not crate["license_file"]]
    if unlicensed:
        sys.exit(f"licences: these crates declare no licence: {', '.join(unlicensed)}")
    print("aback is licensed under MIT or Apache-2.0 (LICENSE-MIT, LICENSE-APACHE). Its packages contain what follows, too.\n")
    print("Z3 (https://github.com/Z3Prover/z3), MIT")
    print("The standard library of Rust (https://github.com/rust-lang/rust), MIT OR Apache-2.0")
    of_text = {}
    for crate in crates:
        name = f"{crate['name']} {crate['version']}"
        found = texts(crate)
        remark = "" if found else f"; its sources have no text of it; by {', '.join(crate['authors']) or 'its authors'}"
        print(f"{name} ({crate['repository'] or 'https://crates.io'}), {crate['license'] or 'see below'}{remark}")
        for file, text in found:
            of_text.setdefault(text, []).append(f"{name}: {file}")
    permission = (SOURCES / "LICENSE-MIT").read_text()
    permission = permission[permission.index("Permission is hereby granted"):].strip()
    print(f"\n{RULE}\nZ3\n{RULE}\n\nCopyright (c) Microsoft Corporation\nAll rights reserved.\n\nMIT License\n\n{permission}")
    for text, owners in of_text.items():
        print(f"\n{RULE}")
        print("\n".join(owners))
        print(f"{RULE}\n\n{text}")


main()
