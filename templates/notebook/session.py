import json
import re
import secrets
import time
import unicodedata
from collections import defaultdict
from contextlib import contextmanager
from datetime import datetime, timezone
from decimal import Decimal
from fractions import Fraction

if "spark" not in globals():  # Jupyter alone gives none
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.getOrCreate()


class Failed(Exception):
    """The run ended without a publish. code is the exit code that sluice run would have: 3."""

    code, result = 3, "failed"


class NotPublished(Failed):
    """Every check passed, and the server refused the publish."""


class Refused(Failed):
    """The batch is refused: nothing of it was published, and the message says why."""

    code, result = 4, "refused"


class Doubt(Failed):
    """A person must look: the outcome is not known, or the batch is published and not recorded."""

    code, result = 5, "unknown"


def moved(text):
    """Another writer changed the table after the verdicts were decided. sluice run would begin again."""
    return Failed("target_busy: %s; run again when the table's other writer is done" % text)


def surely(restore):
    """Restores once more where an interrupt or an error came between: what stays set changes what the next statements mean."""
    try:
        restore()
    except BaseException:
        restore()
        raise


@contextmanager
def settings(wanted):
    """Settings of the session while a block runs, None for none; then they are as they were, also after an error."""
    before = {key: spark.conf.get(key, None) for key in wanted}
    put = lambda all: [spark.conf.unset(key) if value is None else spark.conf.set(key, value) for key, value in all.items()]
    try:
        put(wanted)
        yield
    finally:
        surely(lambda: put(before))


@contextmanager
def alone(who):
    """One run at a time in a session. The settings of a second one would end with those of the first: texts would be read
    otherwise, and a write that is meant for a branch would reach main."""
    key = "spark.sluice.run"
    other = spark.conf.get(key, None)
    if other and not PLACE:  # fixtures hold the session for all their runs
        text = 'run %s goes on in this session, which has its settings; run this cell again behind it, or, if it was killed, spark.conf.unset("%s") first'
        raise Failed(text % (other, key))
    with settings({key: who}):
        yield


@contextmanager
def session():
    """The settings that give a value the same meaning everywhere, and the catalog of names of two parts."""
    wanted = {**SESSION, "spark.wap.branch": None}  # tables with a branch of that name would be read there, unaudited
    if not PLAN["catalog"]:
        with settings(wanted):
            yield
        return
    catalog, database = spark.sql("SELECT current_catalog(), current_database()").first()

    def leave():
        spark.sql("SET CATALOG " + literal(Name(catalog)))
        if database:  # that of an Iceberg catalog may have no name
            spark.catalog.setCurrentDatabase(database)

    try:
        spark.sql("SET CATALOG " + literal(Name(PLAN["catalog"])))
        with settings(wanted):
            yield
    finally:
        surely(leave)


class Run:
    """One run of one batch. The statements below are functions of it."""

    def __init__(self, batch_id, partition=None, accept_changed=False, allow=()):
        if not isinstance(batch_id, str) or not re.fullmatch(r"[A-Za-z0-9._:+-]{1,128}", batch_id):  # 007 as a number is another id
            raise Failed("reading batch id %r: use a text of 1 to 128 of the characters A-Z a-z 0-9 . _ : + -" % (batch_id,))
        self.batch_id, self.run_id = batch_id, secrets.token_hex(8)
        self.accept_changed = str(accept_changed).lower() == "true"  # schedulers hand over texts
        self.allow = [code.strip() for code in allow.split(",")] if isinstance(allow, str) else list(allow)
        self.started, self.ended = datetime.now(timezone.utc), None
        self.numbers, self.values = defaultdict(int), {"batch_id": batch_id, "run_id": self.run_id, "added_columns": []}
        self.given = dict(partition or {})
        self.partition = take_partition(self, self.given) if PLAN["partition"] else ""
        self.findings, self.refusals, self.notes, self.steps = [], [], [], []
        self.results, self.verdicts, self.recorded = {}, {}, set()
        self.facts = {"batches": 0, "median": 0.0, "values": {}, "lookups": {}, "decided": {}, "segments": {}, "usual": {}}
        self.staged = {"rows": 0, "accepted": 0, "wrong_partition": 0, "reasons": {}, "filled": None, "hash": ""}
        self.rows = {"input": 0, "accepted": 0, "rejected": 0, "refused": 0}
        self.target = dict.fromkeys(("inserted", "updated", "backfilled", "unchanged", "stale", "deleted"), 0)
        self.reasons, self.warnings, self.checks, self.failures, self.commit = {}, defaultdict(int), [], [], None
        self.live, self.properties, self.missing_columns = None, {}, {}
        self.unread, self.added, self.all_null, self.valued = [], [], [], set()
        self.publications, self.published_hash, self.published_columns, self.waiting = 0, "", "", 0
        self.commits, self.base, self.heads, self.main, self.audited = [], -1, {}, 0, 0
        self.attempt, self.ensured, self.passed, self.quiet, self.begun = 1, False, False, False, []
        self.publishing = False  # a publish was sent or is done, and nothing has proven that it is not there
        self.required, self.endings, self.skipped = PLAN["required"], PLAN["endings"], ()  # fixtures ask for less

    def sql(self, text, *names):
        """Sends a statement whose markers may be args of spark.sql. Where the session takes none, they are literals."""
        if takes_args():
            return spark.sql(text, args={name: self.values[name] for name in names})
        return spark.sql(self.bound(text))

    def bound(self, sql):
        """A statement with its markers as literals. Ids and partition values match their patterns; texts are quoted."""
        sql = PLACE(sql) if PLACE else sql
        return TOKEN.sub(lambda m: literal(self.values[m.group(1)]) if m.group(1) in self.values else m.group(0), sql)

    def text(self, value):
        """Plain text, such as the value of a setting, with the ids of this run in place of its markers."""
        return value.replace(":batch_id", self.batch_id).replace(":run_id", self.run_id)

    def keep(self, statement, rows):
        """Keeps the rows of a query for the step that judges them."""
        self.results[statement] = [row.asDict() for row in rows.collect()]

    def note(self, text):
        self.notes.append(text)
        self.say("  " + text)

    def say(self, text):
        if not self.quiet:
            print(text, flush=True)

    def warn(self, code, rows=1):
        self.warnings[code] += rows

    def refuse(self, text):
        self.refusals.append(text)

    def find(self, code, text, refuses=False, mended=False):
        """Keeps a problem of the guard: whether it is the batch's fault, and whether sluice migrate mends it."""
        self.findings.append((code, text, refuses, mended))

    def report(self):
        """What sluice run --report writes, without the numbers of statements."""
        return {
            "contract": PLAN["contract"], "version": PLAN["version"], "table": PLAN["table"], "batch": self.batch_id,
            "run": self.run_id, "partition": self.partition, "result": self.ended, "rows": self.rows, "reasons": self.reasons,
            "target": self.target, "checks": self.checks, "warnings": dict(self.warnings), "failures": self.failures,
            "commit": self.commit, "steps": self.steps,
        }

    def checks_of(self, *steps):
        """What steps judge, of those that the plan has."""
        return [c for name in steps if name in STEPS for c in STEPS[name][2] if c["kind"] not in self.skipped]


STEPS = {}


def step(name, skip_if_zero="", checks=()):
    """Registers a step: its statements run when the run comes to it, and not when its number is zero."""

    def register(statements):
        STEPS[name] = (statements, skip_if_zero, checks)
        return statements

    return register


def perform(run, name):
    """Runs one step. Returns the rows of its queries by statement, None if it is skipped."""
    if name not in STEPS:
        return None
    statements, number, _ = STEPS[name]
    if number and not run.numbers[number]:
        run.steps.append({"name": name, "seconds": 0.0, "skipped": True})
        return None
    began, run.results = time.monotonic(), {}
    try:
        statements(run)
    except Failed:
        raise
    except Exception as error:
        error.step = name
        raise
    took = time.monotonic() - began
    run.steps.append({"name": name, "seconds": round(took, 3)})
    run.say("[%s] %s  %.1f s" % (list(STEPS).index(name) + 1, name, took))
    return run.results


def single(results, statement):
    """The one row of a statement."""
    if len(results[statement]) != 1:
        raise Failed("reading %s: %d rows came back, not one" % (statement, len(results[statement])))
    return results[statement][0]


def told(error):
    """An error in one text, with the step that met it."""
    text = str(error).split("\n\nJVM stacktrace")[0].strip()[:2000]
    return "running step %s: %s" % (error.step, text) if hasattr(error, "step") else text
