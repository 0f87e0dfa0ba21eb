"""Code for a kernel in which a notebook has defined its run: kills or interrupts runs behind their statements, and runs
their batch again. DAYS are the partitions of a table that replaces them, POINTS is how many of the last statements count."""
import random


class Dying:
    """A session that dies behind one of its statements, which has taken effect, and answers nothing more."""

    def __init__(self, real, after, interrupted=False):
        self.real, self.left, self.sent, self.interrupted = real, after, 0, interrupted

    def sql(self, text, **options):
        if self.left == 0:
            raise RuntimeError("killed")
        self.left, self.sent = self.left - 1, self.sent + 1
        rows = self.real.sql(text, **options)
        if self.left == 0 and self.interrupted:
            self.left = -1  # a person stops the cell; the session lives on
            raise KeyboardInterrupt()
        if self.left == 0:
            raise RuntimeError("killed")
        return rows

    def __getattr__(self, name):
        return getattr(self.real, name)


def whole(batch, session):
    global spark
    real, spark = spark, session
    run = Run(batch, {PLAN["partition"][0]["name"]: DAYS[batch]} if PLAN["partition"] else None)
    run.quiet = True
    try:
        parts = [guard_tables, ensure_tables, recover_runs, stage_rows, audit_rows, settle_rows, quarantine_rows, judge_rules]
        for part in parts + ([write_candidate] if PLAN["branch"] else []) + [publish_rows, finish]:
            go(run, part)
    except BaseException as error:
        assert "killed" in str(error) or "KeyboardInterrupt" in repr(error), repr(error)
    finally:
        spark = real
    return run


def runs_of_history():
    """The runs that the table's own history names."""
    if PLAN["branch"]:
        rows = spark.sql("SELECT s.summary['userMetadata'] AS userMetadata FROM %s.snapshots AS s JOIN %s.history AS h "
                         "ON h.snapshot_id = s.snapshot_id WHERE h.is_current_ancestor" % (TABLE, TABLE))
    else:
        rows = spark.sql("DESCRIBE HISTORY " + TABLE)
    return [(row["userMetadata"] or "").rsplit("run=")[-1] for row in rows.collect()]


clean = Dying(spark, -1)
assert whole("k0", clean).ended == "published"
first = max(2, clean.sent - POINTS)
points = random.sample(range(1, first), 1) + list(range(first, clean.sent + 1))
recovered = 0
for number, point in enumerate(points, 1):
    batch = "k%d" % number
    dead = whole(batch, Dying(spark, point, interrupted=number % 2 == 0))
    again = whole(batch, spark)
    assert again.ended == "published", (point, again.ended, again.failures)
    log = spark.sql("SELECT run_id, published, recovered, input_rows, accepted_rows FROM %s WHERE batch_id = '%s'" % (LOG, batch)).collect()
    assert any(r.run_id == again.run_id and r.published for r in log), (point, log)
    assert all((r.input_rows, r.accepted_rows) == (3, 2) for r in log if r.published), (point, log)
    recovered += sum(r.recovered for r in log)
    recorded_runs = [r.run_id for r in log if r.published]
    assert dead.run_id not in runs_of_history() or dead.run_id in recorded_runs, (point, log)
    rows = spark.sql("SELECT count(*) FROM %s WHERE %s LIKE '%s.%%'" % (TABLE, KEY, batch)).first()[0]
    held = spark.sql("SELECT count(*) FROM %s WHERE _batch_id = '%s'" % (QUARANTINE, batch)).first()[0]
    assert (rows, held) == (2, 1), (point, rows, held)
    left = spark.conf.get("spark.wap.branch", None), spark.conf.get("spark.databricks.delta.commitInfo.userMetadata", None)
    assert left == (None, None), (point, left)
if PLAN["branch"]:
    names = [r.name for r in spark.sql("SELECT name FROM %s.refs" % TABLE).collect()]
    assert sorted(names) == sorted(["main", PLAN["branch"]]), names
assert recovered > 0, "no kill came between the publish and its record"
print("%d kills, %d recovered" % (len(points), recovered))
