"""Compares the recorded grades of contract changes with those of datacontract-cli.

    python .ci/breaking.py            # fails when a recorded grade is not what the tool says now
    python .ci/breaking.py --sample   # the same of some pairs and rows, other ones each day
    python .ci/breaking.py --write    # records what it says of testdata/pairs; the last column stays

Needs the pinned version of datacontract-cli, and no network. Every pair is graded
forwards and backwards, for the consumer and for the producer: the first of the
worst entries in path order, and how many entries have a grade. "refused" is a pair
that the tool does not compare. The column difference is written by hand and checked
by contracts/breaking/pairs_test.go.
"""

import csv
import datetime
import logging
import pathlib
import random
import sys
import tempfile
from importlib.metadata import version

from datacontract.data_contract import DataContract

PINNED = "1.2.8"
FOLDER = pathlib.Path("contracts/breaking/testdata")
MEASURED = ["level", "direction", "rule", "path", "graded_entries"]
COLUMNS = ["from", "to", "perspective", *MEASURED]
ORDER = {"info": 0, "warning": 1, "error": 2}


def grade(old, new, perspective):
    try:
        result = DataContract(data_contract_file=str(old)).breaking(DataContract(data_contract_file=str(new)), perspective=perspective)
    except Exception:
        return dict(zip(MEASURED, ["refused", "-", "-", "-", "0"]))
    graded = [e for e in result.entries if e.direction is not None]
    if not graded:
        return dict(zip(MEASURED, ["none", "-", "-", "-", "0"]))
    worst = max(graded, key=lambda e: ORDER[e.level.value])
    return dict(zip(MEASURED, [worst.level.value, worst.direction.value, worst.rule_id, worst.path, str(len(graded))]))


def both_ways(name, old, new):
    for start, end, a, b in ((old, new, "old", "new"), (new, old, "new", "old")):
        for perspective in ("consumer", "producer"):
            yield {"from": f"{name}/{a}", "to": f"{name}/{b}", "perspective": perspective, **grade(start, end, perspective)}


def files(archive):
    """The files of a txtar archive: -- NAME -- begins one."""
    out, name = {}, None
    for text in archive.read_text(encoding="utf-8").splitlines(keepends=True):
        if text.startswith("-- ") and text.rstrip().endswith(" --"):
            name = text.strip()[3:-3].strip()
            out[name] = ""
        elif name:
            out[name] += text
    return out


def recorded(table):
    with table.open(encoding="utf-8", newline="") as f:
        lines = (line for line in f if not line.startswith("#"))
        return list(csv.DictReader(lines, delimiter="\t"))


# A comparison costs the tool most of a second: a sample is a minute, all of it seven.
SAMPLES = {"rows": 30, "pairs": 12}


def some(items, kind, sample):
    items = list(items)
    if not sample:
        return items
    return random.Random(datetime.date.today().isoformat()).sample(items, min(SAMPLES[kind], len(items)))


def oracle(sample):
    """What the table of the oracle says, and what the tool says now."""
    folder = FOLDER / "oracle"
    for row in some(recorded(folder / "expected.tsv"), "rows", sample):
        now = grade(folder / f"{row['from']}.yaml", folder / f"{row['to']}.yaml", row["perspective"])
        yield row, {**row, **now}


def pairs(sample):
    with tempfile.TemporaryDirectory() as scratch:
        for archive in some(sorted((FOLDER / "pairs").glob("*.txtar")), "pairs", sample):
            paths = []
            for name, text in files(archive).items():
                paths.append(pathlib.Path(scratch) / f"{archive.stem}.{name}")
                paths[-1].write_text(text, encoding="utf-8")
            yield from both_ways(archive.stem, *paths[:2])


def main(flags):
    logging.disable(logging.CRITICAL)
    if version("datacontract-cli") != PINNED:
        raise SystemExit(f"datacontract-cli is {version('datacontract-cli')}; the tables were recorded with {PINNED}")
    table = FOLDER / "pairs" / "expected.tsv"
    known = {(r["from"], r["perspective"]): r for r in recorded(table)} if table.exists() else {}
    sample = "--sample" in flags
    now = list(pairs(sample))
    if "--write" in flags:
        with table.open("w", encoding="utf-8", newline="") as f:
            writer = csv.DictWriter(f, [*COLUMNS, "difference"], delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows({**r, "difference": known.get((r["from"], r["perspective"]), {}).get("difference", "")} for r in now)
        print(f"recorded {len(now)} grades")
        return 0
    compared = [(known.get((r["from"], r["perspective"]), {}), r) for r in now] + list(oracle(sample))
    wrong = [f"{r['from']} -> {r['to']}, {r['perspective']}: recorded {[was.get(k) for k in MEASURED]}, now {[r[k] for k in MEASURED]}" for was, r in compared if any(was.get(k) != r[k] for k in MEASURED)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(compared)} grades, {len(wrong)} complaints")
    return 1 if wrong or len(compared) < (70 if sample else 300) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
