"""Compares contracts/testdata/agree with the verdicts of datacontract-cli.

    python .ci/agree.py            # fails when a recorded verdict is not what the tool says now
    python .ci/agree.py --write    # records what it says; the columns of sluice stay
    python .ci/agree.py --tell     # prints the reasons of the tool as well

Needs the pinned version of datacontract-cli, and no network: no document refers
to one. expected.tsv has the columns file, cli, exit, sluice and difference; the
last two are written by hand and checked by contracts/agree_test.go.
"""

import csv
import json
import logging
import pathlib
import sys
import tempfile
from importlib.metadata import version

from datacontract.cli import app
from typer.testing import CliRunner

PINNED = "1.2.8"
FOLDER = pathlib.Path("contracts/testdata/agree")
TABLE = FOLDER / "expected.tsv"
COLUMNS = ["file", "cli", "exit", "sluice", "difference"]


def verdict(path, out):
    """The verdict of `datacontract lint --all-errors FILE`, its exit code and its reasons."""
    logging.disable(logging.CRITICAL)
    args = ["lint", "--all-errors", "--output", str(out), "--output-format", "json", str(path)]
    code = CliRunner().invoke(app, args).exit_code
    checks = json.loads(out.read_text(encoding="utf-8"))["checks"]
    failed = [c["reason"] or c["name"] for c in checks if c["result"] in ("failed", "error")]
    if bool(failed) != (code != 0):
        raise SystemExit(f"{path}: exit code {code} with {len(failed)} failed checks")
    return ("fail" if failed else "pass"), str(code), failed


def recorded():
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as f:
        return {row["file"]: row for row in csv.DictReader(f, delimiter="\t")}


def write(rows):
    with TABLE.open("w", encoding="utf-8", newline="") as f:
        writer = csv.DictWriter(f, COLUMNS, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main(flags):
    if version("datacontract-cli") != PINNED:
        raise SystemExit(f"datacontract-cli is {version('datacontract-cli')}; the table was recorded with {PINNED}")
    rows, complaints, before = [], [], recorded()
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(FOLDER.glob("*.yaml")):
            cli, code, reasons = verdict(path, pathlib.Path(scratch) / "run.json")
            old = before.get(path.name, {})
            rows.append({"file": path.name, "cli": cli, "exit": code, "sluice": old.get("sluice", cli), "difference": old.get("difference", "")})
            if (old.get("cli"), old.get("exit")) != (cli, code):
                complaints.append(f"{path.name}: recorded {old.get('cli')} {old.get('exit')}, now {cli} {code}")
            if "--tell" in flags:
                print(path.name, cli, *reasons, sep="\n    ")
    complaints += [f"{name}: recorded, but the file is not there" for name in before.keys() - {r["file"] for r in rows}]
    if "--write" in flags:
        write(rows)
        print(f"recorded {len(rows)} verdicts, {len(complaints)} changed")
        return 0
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{len(rows)} documents, {len(complaints)} complaints")
    return 1 if complaints or not rows else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
