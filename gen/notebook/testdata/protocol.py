"""What becomes of a run whose cells are run twice, out of order, or are interrupted: protocol.py NOTEBOOK. The session is
made up, and parts that send statements are put in by each scenario."""
import json
import sys


class Conf:
    def __init__(self):
        self.values, self.fails = {"spark.sql.ansi.enabled": "false"}, None

    def get(self, key, default):
        return self.values.get(key, default)

    def set(self, key, value):
        self.values[key] = value

    def unset(self, key):
        if self.fails and key in self.values:
            error, self.fails = self.fails, None
            raise error
        self.values.pop(key, None)


class Catalog:
    def __init__(self, session):
        self.session = session

    def setCurrentDatabase(self, name):
        self.session.sent.append("database " + name)


class Session:
    """Answers nothing but where it is. A statement that holds a text of fails raises its error, once it is sent."""

    def __init__(self):
        self.conf, self.catalog, self.sent, self.fails = Conf(), Catalog(self), [], {}

    def sql(self, text, **options):
        self.sent.append(text.strip())
        for part, error in self.fails.items():
            if part in text:
                raise error
        return type("Rows", (), {"first": lambda self: ("own", "db"), "collect": lambda self: []})()


with open(sys.argv[1], encoding="utf-8") as text:
    CELLS = [(c["id"], "".join(c["source"])) for c in json.load(text)["cells"] if c["cell_type"] == "code"]


def opened(**parts):
    """The names of a notebook whose cells above the run were run, with some parts of the run put in, the others doing nothing."""
    space = {"spark": Session(), "__name__": "book"}
    for name, source in CELLS:
        if name == "run":
            break
        if not name.startswith("fixture") or name == "fixtures-places":
            exec(compile(source, name, "exec"), space)
    for name in space["PLAN"]["parts"]:
        if name != "finish":
            space[name] = parts.get(name, lambda run: None)
        space[name].__name__ = name
    space["run"] = space["Run"]("b1", {"upload_date": "2026-09-01"})
    space["run"].quiet, space["run"].ensured = True, True
    return space


def raised(space, *parts):
    try:
        space["go"](space["run"], *(space[name] for name in parts))
    except BaseException as error:
        return type(error).__name__
    return ""


def whole(space):
    return [raised(space, name) for name in space["PLAN"]["parts"]]


def records(space):
    return [text for text in space["spark"].sent if "`step_seconds`" in text]


def order():
    space = opened()
    names = space["PLAN"]["parts"]
    assert raised(space, "publish_rows") == "Failed" and raised(space, "finish") == "Failed"  # nothing was judged
    assert raised(space, names[0]) == ""
    assert raised(space, names[0]) == "Failed" and raised(space, *names[2:4]) == "Failed"
    assert space["run"].ended is None
    ends = [raised(space, name) for name in names[1:]]
    assert ends == [""] * (len(names) - 1), (ends, space["run"].failures)
    assert space["run"].ended == "published" and len(records(space)) == 1
    assert raised(space, "finish") == "Failed" and len(records(space)) == 1


def steps():
    space = opened()
    judge = space["STEPS"].pop("judge")
    assert raised(space, "guard_tables") == "Failed" and space["run"].ended is None
    space["STEPS"]["judge"] = judge
    assert raised(space, "guard_tables") == "Failed"  # defined last, ensure's steps could be as well
    assert raised(opened(), "guard_tables") == ""


def stopped():
    """A run that was stopped has ended. While it publishes nothing is known, so that nothing is recorded either."""
    def stop(error, publishing):
        def part(run):
            run.publishing = publishing
            raise error
        return part

    for error, publishing, told, ended, recorded in (
        (KeyboardInterrupt(), False, "KeyboardInterrupt", "failed", 1), (ValueError("x"), False, "Failed", "failed", 1),
        (KeyboardInterrupt(), True, "KeyboardInterrupt", "unknown", 0), (ValueError("x"), True, "Doubt", "unknown", 0),
    ):
        space = opened(publish_rows=stop(error, publishing))
        assert whole(space)[-2:] == [told, "Failed"]
        assert space["run"].ended == ended and len(records(space)) == recorded, (told, publishing)


def behind_the_end():
    """What fails behind the record of a run does not record it again."""
    space = opened()
    names = space["PLAN"]["parts"]
    for name in names[:-1]:
        assert raised(space, name) == ""
    space["spark"].conf.fails = KeyboardInterrupt()
    assert raised(space, "finish") == "KeyboardInterrupt"
    assert space["run"].ended == "published" and len(records(space)) == 1


def while_recording():
    space = opened()
    space["spark"].fails["`step_seconds`"] = KeyboardInterrupt()
    whole(space)
    assert space["run"].ended == "unknown" and len(records(space)) == 1, space["run"].ended


def settings_return():
    """Also where the way back is interrupted, or the block is. Meanwhile no branch of the session's is read."""
    def look(run):
        seen.append(dict(space["spark"].conf.values))

    seen, space = [], opened(guard_tables=look)
    space["spark"].conf.values["spark.wap.branch"] = "audit"
    assert raised(space, "guard_tables") == "" and space["spark"].conf.values["spark.wap.branch"] == "audit"
    assert "spark.wap.branch" not in seen[0] and seen[0]["spark.sql.ansi.enabled"] == "true"
    for error in (None, KeyboardInterrupt()):
        space = opened()
        conf, before = space["spark"].conf, dict(space["spark"].conf.values)
        conf.fails = error
        assert raised(space, "guard_tables") == (type(error).__name__ if error else "")
        assert conf.values == before, conf.values
    space = opened()
    if space["PLAN"]["catalog"]:
        space["spark"].fails["SET CATALOG `%s`" % space["PLAN"]["catalog"]] = KeyboardInterrupt()
        raised(space, "guard_tables")
        assert space["spark"].sent[-1] == "database db" or "SET CATALOG `own`" in space["spark"].sent, space["spark"].sent


def lost_session():
    """Where not even the settings can be read, the run has ended, with the error that ended it."""
    def lose(run):
        space["spark"].conf.get = None
        raise ValueError("first")

    space = opened(guard_tables=lose)
    assert raised(space, "guard_tables") == "Failed" and space["run"].ended == "failed"
    first, second = space["run"].failures
    assert first == "first" and "recording the failure" in second, space["run"].failures


def two_at_once():
    """A second run in the session does nothing, and may go on once the first is done."""
    def meet(run):
        other["spark"] = space["spark"]
        told.append(raised(other, "guard_tables"))

    other, told = opened(), []
    space = opened(guard_tables=meet)
    space["run"].run_id = "first"
    assert raised(space, "guard_tables") == "" and told == ["Failed"] and not other["run"].begun and other["run"].ended is None
    assert "spark.sluice.run" not in space["spark"].conf.values and raised(other, "guard_tables") == ""


def half_judged():
    """Rules over the published table whose statements went before the one that failed are judged."""
    def statements(run):
        run.results["first"] = [{"value": "0"}]
        raise ValueError("second is broken")

    space = opened()
    rule = {"code": "audit_failed", "kind": "value", "op": "mustBe", "bounds": ["0"], "severity": "error"}
    checks = [{**rule, "rule": name, "statement": name} for name in ("first", "second")]
    space["STEPS"] = {name: (statements, "", checks) if name == "judge_target" else one for name, one in space["STEPS"].items()}
    space["STEPS"].setdefault("judge_target", (statements, "", checks))
    space["judge_published"](space["run"])
    assert [(c["result"], c["value"].split(":")[0]) for c in space["run"].checks] == [("passed", "0"), ("failed", "not known")], space["run"].checks


def batch_ids():
    """What a scheduler made a number of is another batch, or none."""
    space = opened()
    for one in (7, None, 1.1, "", "a b", "ü", "x" * 129, "a\n"):
        try:
            space["Run"](one, {"upload_date": "2026-09-01"})
        except space["Failed"] as error:
            assert "batch id" in str(error)
            continue
        raise AssertionError(one)


def fixtures():
    """They end where a statement was edited, and give the session back, wherever they end."""
    space = opened()
    if "play_fixtures" not in space:
        return
    real, sql = space["spark"], dict(CELLS)["step-record"]
    for fails in ({}, {"CREATE": KeyboardInterrupt()}, {"SHOW TABLES": KeyboardInterrupt()}):
        real.fails = fails
        try:
            space["play_fixtures"]({})
        except KeyboardInterrupt:
            assert fails
        assert space["spark"] is real and space["PLACE"] is None and "spark.sluice.run" not in real.conf.values
    real.fails, real.sent = {}, []
    exec(sql.replace("current_timestamp()", "now()"), space)
    try:
        space["play_fixtures"]({})
        raise AssertionError("an edited statement went out")
    except space["Failed"] as error:
        assert "step record " in str(error) and not real.sent


for scenario in (fixtures, half_judged, batch_ids, order, steps, stopped, behind_the_end, while_recording, settings_return, lost_session, two_at_once):
    scenario()
