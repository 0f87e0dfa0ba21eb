"""Answers questions by the protocol of a notebook, without Spark: compare.py PLAN MODULES QUESTIONS ANSWERS."""
import json
import sys

plan, modules, questions, answers = sys.argv[1:]
space = {"spark": None, "PLAN": json.load(open(plan, encoding="utf-8"))}
for path in modules.split(","):
    with open(path, encoding="utf-8") as text:
        exec(compile(text.read(), path, "exec"), space)


class State:
    """What judging looks at."""

    def __init__(self, q):
        self.rows, self.reasons = {"input": q["input"]}, q["reasons"]
        self.facts = {
            "batches": q["batches"], "median": q["median"], "values": {(s, c or None): v for s, c, v in q["values"]}, "lookups": q["lookups"],
            "decided": {k: tuple(v) for k, v in q["decided"].items()},
            "segments": {k: {"count": v["count"], "segments": [tuple(s) for s in v["segments"]]} for k, v in q["segments"].items()},
            "usual": {(u["by"], u["window"]): {"batches": u["batches"], "rows": u["rows"]} for u in q["usual"]},
        }


class Columns(str):
    pass


def answer(q):
    if q["ask"] == "judge":
        return space["judge_check"](q["check"], State(q))
    if q["ask"] == "stand":
        return space["stand"](q["contract"], q["table"])
    if q["ask"] == "drift":
        space["PLAN"]["tables"], space["PLAN"]["constraints"] = [q["want"]], q["checks"]
        run = type("R", (), {"properties": q["properties"], "live": {c["name"].lower(): (c["name"], c["type"], c["nullable"]) for c in q["live"]}})
        told = []
        for kind, text in space["drift"](run):
            told.append(" lacks CHECK %s (%s)" % (text, q["checks"][text]) if kind == "missing_check" else text)
        return sorted(told)
    if q["ask"] == "bind":
        run = space["Run"].__new__(space["Run"])
        run.values = {k: space["Name"](v["name"]) if isinstance(v, dict) else v for k, v in q["values"].items()}
        return run.bound(q["sql"])
    if q["ask"] == "history":
        commits = space["read_history"](q["rows"])
        return [space["changed_after"](commits, q["after"]), space["newest"](commits)]
    if q["ask"] == "partition":
        space["PLAN"]["partition"] = [{"name": "p", "type": q["type"], "param": "partition_p"}]
        run = type("R", (), {"values": {}})
        try:
            return space["take_partition"](run, {"p": q["value"]})
        except space["Failed"]:
            return None
    if q["ask"] == "unknown":  # an error of a class of pyspark, which need not be there
        kind = type("Error", (Exception,), {})
        for name in reversed(q["kinds"]):
            kind = type(name, (kind,), {})
        return space["unknown"](kind(q["text"]))
    if q["ask"] == "segment":
        return space["segment_name"](q["by"], {"by_" + c: v for c, v in zip(q["by"], q["values"])})
    raise ValueError(q["ask"])


with open(questions, encoding="utf-8") as lines, open(answers, "w", encoding="utf-8") as out:
    json.dump([answer(q) for q in json.load(lines)], out)
