"""Checks what `sluice schema` prints with a JSON Schema validator of others.

    python .ci/schema.py SLUICE    # needs jsonschema and PyYAML

Every example contract must be valid, and every mutation below invalid at the
place that was changed: a schema that takes everything would pass the first half.
"""

import copy
import csv
import glob
import json
import subprocess
import sys

import yaml
from jsonschema import Draft201909Validator


class Loader(yaml.SafeLoader):
    """YAML as editors read it: a date is text."""


Loader.yaml_implicit_resolvers = {
    first: [r for r in resolvers if r[0] != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load(path):
    with open(path, encoding="utf-8") as f:
        return yaml.load(f, Loader)


def schema(sluice, *args):
    text = subprocess.run([sluice, "schema", *args], check=True, capture_output=True, text=True).stdout
    parsed = json.loads(text)
    Draft201909Validator.check_schema(parsed)
    return Draft201909Validator(parsed)


def custom(element, name):
    return next(p for p in element["customProperties"] if p["property"] == name)


def table(doc):
    return next(t for t in doc["schema"] if any(p["property"] == "publish" for p in t.get("customProperties", [])))


def engine_rule(doc):
    return next(q for q in table(doc)["quality"] if q.get("engine") == "sluice")


def column(doc, kind):
    return next(p for p in table(doc)["properties"] if p["logicalType"] == kind)


def change(steps, **values):
    """A mutation: go to an element, then set keys (None removes)."""

    def apply(doc):
        element = steps(doc)
        for key, value in values.items():
            if value is None:
                del element[key]
            else:
                element[key] = value

    return apply


def misspell(doc):
    value = custom(table(doc), "dedup")["value"]
    value["latestby"] = value.pop("latestBy")


# The own schema must refuse these too, since they are about what is sluice's.
OURS = {
    "a typo in a name of sluice": change(lambda d: custom(table(d), "publish"), property="publsh"),
    "a typo in a key of sluice": misspell,
    "a value outside of a closed set": change(lambda d: custom(table(d), "publish")["value"], mode="upsert"),
    "a text where a mapping belongs": change(lambda d: custom(table(d), "dedup"), value="updated_at"),
    "an unknown check": change(lambda d: engine_rule(d)["implementation"], check="rejectRate"),
    "a check without its bound": change(lambda d: engine_rule(d), implementation={"check": "rejectRatio"}),
    "a key of another check": change(lambda d: engine_rule(d), implementation={"check": "rejectRatio", "maxPercent": 1, "min": 0.5}),
    "a name of a schema on the contract": change(
        lambda d: d, customProperties=[{"property": "dedup", "vendor": "sluice", "value": {"latestBy": ["x"]}}]
    ),
    "a consumer without a name": change(lambda d: d, customProperties=[{"property": "consumers", "value": [{"major": 1}]}]),
}

STANDARD = {
    "an unknown top-level key": change(lambda d: d, nmae="x"),
    "a missing key": change(lambda d: d, version=None),
    "a version as a number": change(lambda d: d, version=2.1),
    "an unknown server type": change(lambda d: d["servers"][0], type="spark"),
    "a key of another server type": change(lambda d: d["servers"][0], catalogUrl="http://localhost"),
    "an unknown logicalType": change(lambda d: column(d, "string"), logicalType="decimal"),
    "an option of another logicalType": change(lambda d: column(d, "string"), logicalTypeOptions={"multipleOf": 2}),
    "a plain text in an enum": change(lambda d: column(d, "string"), enum=["a"]),
    "a metric that does not exist": change(lambda d: table(d), quality=[{"metric": "nulls", "mustBe": 0}]),
    "a library rule without metric": change(lambda d: table(d), quality=[{"mustBe": 0}]),
    "an sql rule without query": change(lambda d: table(d), quality=[{"type": "sql", "mustBe": 0}]),
    "an id with a blank": change(lambda d: table(d), id="a b"),
}

# These must stay valid: what is somebody else's is free.
FREE = {
    "a property of another vendor": change(
        lambda d: table(d), customProperties=[{"property": "dedup", "vendor": "acme", "value": 1}]
    ),
    "a property of nobody": change(lambda d: table(d), customProperties=[{"property": "costCentre", "value": {"a": [1]}}]),
    "a rule of another engine": change(lambda d: table(d), quality=[{"type": "custom", "engine": "soda", "implementation": "x"}]),
    "our name without vendor": change(lambda d: custom(table(d), "publish"), vendor=None),
    "a port as a variable": change(lambda d: d["servers"][0], port="${PORT}"),
}


def main(sluice):
    complaints = []
    whole, own = schema(sluice), schema(sluice, "--own")
    examples = sorted(glob.glob("contracts/*/*.odcs.yaml"))
    for path in examples:
        doc = load(path)
        for name, validator in [("the schema", whole), ("the own schema", own)]:
            complaints += [f"{path}: {name} refuses {e.json_path}: {e.message}" for e in validator.iter_errors(doc)]
    base = load("contracts/sales/orders.odcs.yaml")
    for name, mutate in {**OURS, **STANDARD, **FREE}.items():
        doc = copy.deepcopy(base)
        mutate(doc)
        if doc == base:
            complaints.append(f"{name}: the mutation changed nothing")
        if whole.is_valid(doc) != (name in FREE):
            complaints.append(f"{name}: the schema says valid={whole.is_valid(doc)}")
        if own.is_valid(doc) != (name not in OURS):
            complaints.append(f"{name}: the own schema says valid={own.is_valid(doc)}")
    complaints += releases(sluice)
    complaints += never_stricter(sluice)
    complaints += fixtures(sluice)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"{len(examples)} contracts, {len(OURS) + len(STANDARD) + len(FREE)} mutations, {len(complaints)} complaints")
    return 1 if complaints else 0


def never_stricter(sluice):
    """What sluice lint accepts, the schema of its release accepts."""
    out, validators = [], {}
    with open("contracts/testdata/agree/expected.tsv", encoding="utf-8", newline="") as f:
        accepted = [row["file"] for row in csv.DictReader(f, delimiter="\t") if row["sluice"] == "pass"]
    for name in accepted:
        doc = load(f"contracts/testdata/agree/{name}")
        version = doc["apiVersion"]
        if version not in validators:
            validators[version] = schema(sluice, "--api-version", version)
        out += [f"{name}: the schema refuses {e.json_path}: {e.message}" for e in validators[version].iter_errors(doc)]
    return out if accepted else ["no document of contracts/testdata/agree is accepted"]


# Fixture files whose form is wrong; what the others of their folder break, names alone show.
BAD_FORM = {"unknown-key", "counts", "list", "no-contract"}


def fixtures(sluice):
    """The schema of fixture files takes every one of them but those of a wrong form."""
    validator, out = schema(sluice, "--fixtures"), []
    for path in sorted(glob.glob("**/*.fixtures.yaml", recursive=True)):
        name = path.split("/")[-1].removesuffix(".fixtures.yaml")
        bad = "/bad/" in path and name in BAD_FORM
        if validator.is_valid(load(path)) == bad:
            out.append(f"{path}: the schema of fixtures says valid={bad}")
    return out


def releases(sluice):
    """A key of 3.2 is refused by the schemas of older releases."""
    doc = {"kind": "DataContract", "id": "x", "version": "1.0.0", "status": "active"}
    doc["schema"] = [{"name": "t", "properties": [{"name": "c", "logicalType": "string"}]}]
    out = []
    for version in ["v3.0.2", "v3.1.0", "v3.2.0"]:
        validator = schema(sluice, "--api-version", version)
        doc["apiVersion"] = version
        if not validator.is_valid(doc):
            out.append(f"{version}: refuses a plain contract: {next(validator.iter_errors(doc)).message}")
        newer = copy.deepcopy(doc)
        newer["schema"][0]["properties"][0]["deprecated"] = True
        if validator.is_valid(newer) != (version == "v3.2.0"):
            out.append(f"{version}: a key of 3.2 is judged wrongly")
    return out


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
