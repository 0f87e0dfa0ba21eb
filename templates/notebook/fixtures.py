import hashlib

SCRATCH = "sluice_test_%s_" % secrets.token_hex(4)  # before each schema: two notebooks never meet
FORMED = {"DATE": "2000-01-01", "INT": "0", "BIGINT": "0", "STRING": "none", "BOOLEAN": "false"}  # a value of each type


class Scratch:
    """The session, with every schema of a generated statement under another name. Where names stand was noted when the
    statement was written, by its hash: nothing is searched for in SQL."""

    def __init__(self, session):
        self.session = session

    def sql(self, text, **options):
        return self.session.sql(placed(text), **options)

    def __getattr__(self, name):
        return getattr(self.session, name)


def placed(text):
    """A statement of the plan in the scratch schemas; any other text as it is."""
    sql = text.strip("\n")
    for at in reversed(PLACES.get(place_of(sql), ())):
        sql = sql[:at] + SCRATCH + sql[at:]
    return sql


def place_of(sql):
    return hashlib.sha256(sql.encode("utf-8")).hexdigest()[:16]


def unplaced():
    """Steps with a statement that was edited. Nothing says where its schemas stand, so it would go to the real tables."""
    texts = ((name, one) for name, (statements, _, _) in STEPS.items() for one in statements.__code__.co_consts)
    return [name for name, one in texts if isinstance(one, str) and one.startswith("\n") and place_of(one.strip("\n")) not in PLACES]


def own(text):
    """A statement of the fixtures themselves, which marks where the scratch prefix stands."""
    return spark.sql(text.replace(MARK, SCRATCH))


def texts(expressions):
    """Values as Spark writes them as text."""
    if not expressions:
        return []
    return list(own("SELECT " + ", ".join("%s AS v%d" % (one, i) for i, one in enumerate(expressions))).first())


class Case:
    """One fixture: a history of batches against tables of its own, and what must become of them."""

    def __init__(self, fixture, number):
        self.fixture, self.number, self.failures, self.latest = fixture, number, [], {}

    def fail(self, batch, what, want, got):
        at = "" if len(self.fixture["batches"]) == 1 else "batch %d, " % (batch + 1)
        self.failures.append("%s%s: expected %s, got %s" % (at, what, want, got))

    def play(self):
        for table in LIVE_TABLES:
            own("DELETE FROM " + table)
        for statement in self.fixture["prepare"]:
            own(statement)
        for i, batch in enumerate(self.fixture["batches"]):
            for statement in batch["load"]:
                own(statement.replace(BATCH, self.batch_id(batch)))
            self.judge(i, batch, self.run(batch))
            self.state(i, batch["state"])
        self.state(len(self.fixture["batches"]) - 1, self.fixture["end"])
        self.conserved()

    def batch_id(self, batch):
        return "f%d.b%d" % (self.number, batch["id"])

    def run(self, batch):
        """A whole run, or as far as verdicts where a fixture asks about rows alone."""
        run = Run(self.batch_id(batch), batch["partition"], batch["accept_changed"], batch["allow"])
        run.quiet, run.skipped, run.endings = True, self.fixture["skipped"], []
        if self.fixture["rows"]:
            run.required = []
        try:
            if self.fixture["rows"]:
                go(run, guard_tables, ensure_tables, recover_runs, stage_rows, audit_rows, settle_rows)
            else:
                run_batch(run)
        except Failed:
            pass
        return run

    def judge(self, i, batch, run):
        want, rows = batch["expect"], ends_of(run)
        self.latest[batch["id"]] = (run, rows, batch)
        if self.fixture["rows"] and run.ended is None:
            pass
        elif want["refused"] or want["failed"]:
            codes = {line.split(":")[0] for line in "\n".join(run.failures).split("\n") if " " not in line.split(":")[0]}
            for result in ("refused", "failed"):
                if want[result] and (run.ended != result or codes != set(want[result])):
                    self.fail(i, result, ", ".join(want[result]), outcome(run))
        elif run.ended != "published":
            self.fail(i, "result", "published", outcome(run))
        if want["says"] and want["says"] not in "\n".join(run.failures):
            self.fail(i, "says", want["says"], outcome(run))
        if want["target"] is not None and want["target"] != run.target:
            self.fail(i, "target", want["target"], run.target)
        if want["warnings"] is not None and want["warnings"] != dict(run.warnings):
            self.fail(i, "warnings", want["warnings"], dict(run.warnings))
        self.judge_rows(i, batch, rows)

    def judge_rows(self, i, batch, rows):
        """Every given row was staged, once, and ends as it must. Rejects that nobody named are none."""
        want, ends = batch["expect"], batch["expect"]["refused"] or batch["expect"]["failed"]
        if len(rows) != batch["rows"]:
            if not ends or want["verdicts"] or want["reasons"]:
                self.fail(i, "conservation", "%d given rows in staging" % batch["rows"], len(rows))
            return
        asked = [len(want[key]) for key in ("verdicts", "reasons") if want[key] is not None]
        if any(n != len(rows) for n in asked):
            self.fail(i, "rows", max(asked), len(rows))
        if want["verdicts"] is not None:
            self.judge_verdicts(i, want["verdicts"], rows)
        for n, (codes, row) in enumerate(zip(want["reasons"] or [], rows)):
            if codes != row["codes"]:
                self.fail(i, "reasons of row %d" % (n + 1), codes, row["codes"])
        rejected = counted_by(row["codes"][0] for row in rows if row["codes"])
        if want["rejected"] is not None or want["verdicts"] is None and want["reasons"] is None and not ends:
            if rejected != (want["rejected"] or {}):
                self.fail(i, "rejected", want["rejected"] or {}, rejected)
        if want["clean"] is not None:
            self.same_rows(i, "clean", want["clean"], [row["values"] for row in rows if not row["codes"]])

    def judge_verdicts(self, i, verdicts, rows):
        """Which of alike rows has which of their verdicts is nobody's business."""
        left = {}
        for row in rows:
            left.setdefault(row["content"], []).append((row["codes"] or ["accepted"])[0])
        for n, (wanted, row) in enumerate(zip(verdicts, rows)):
            alike = left[row["content"]]
            fitting = next((v for v in alike if v in wanted.split(" or ")), alike[0])
            alike.remove(fitting)
            if fitting not in wanted.split(" or "):
                self.fail(i, "verdict of row %d" % (n + 1), wanted, fitting)

    def same_rows(self, i, what, wanted, rows):
        """Compares rows by the columns that each wanted row names, in any order. As many as wanted must be there."""
        values, left, missing = iter(texts([e for row in wanted for e in row.values()])), list(rows), []
        for row in wanted:
            named = {column: next(values) for column in row}
            match = next((r for r in left if all(same_value(r[c], v) for c, v in named.items())), None)
            left.remove(match) if match is not None else missing.append(named)
        if missing or left:
            self.fail(i, what, missing or "no other row", left or "none of these")

    def state(self, i, want):
        if want["table"] is not None:
            rows = [dict(zip(PLAN["columns"], row)) for row in own(READ_TABLE).collect()]
            self.same_rows(i, "table", want["table"], rows)
        if want["quarantine"] is not None:
            held = counted_by(codes[0] for codes in quarantined().values() for codes in codes)
            if held != want["quarantine"]:
                self.fail(i, "quarantine", want["quarantine"], held)

    def conserved(self):
        """Quarantine holds the rejects of the latest run of each batch, and no row vanished."""
        if self.fixture["rows"]:
            return
        held = quarantined()
        for number, (run, rows, batch) in self.latest.items():
            if batch["expect"]["refused"] or batch["expect"]["failed"]:
                continue
            want, got = sorted(row["codes"] for row in rows if row["codes"]), sorted(held.get(self.batch_id(batch), []))
            if want != got:
                self.fail(0, "conservation", want, got)


def ends_of(run):
    """What a run made of its rows, in the order in which they were given: they are one file of the source."""
    out = []
    for row in spark.sql(run.bound(READ_ENDS.replace(MARK, SCRATCH))).collect():
        codes = [code for code in (row["_codes"] or "").split(";") if code]
        if not codes and row["_reason"] and row["_reason"] not in LABELS and row["_reason"] != BACKFILLED:
            codes = [row["_reason"]]
        out.append({"codes": codes, "content": row["_content"], "values": dict(zip(PLAN["columns"], list(row)[3:]))})
    return out


def quarantined():
    """Codes of the rows in quarantine, by batch."""
    out = {}
    for batch, codes in own(READ_QUARANTINE).collect():
        out.setdefault(batch, []).append(codes.split("; "))
    return out


def same_value(got, want):
    """Texts as Spark writes them; nested values as JSON, where a member that is null and none are the same."""
    bare = lambda v: {k: bare(one) for k, one in v.items() if one is not None} if isinstance(v, dict) else list(map(bare, v)) if isinstance(v, list) else v
    if got == want or None in (got, want) or want[:1] not in ("{", "["):
        return got == want
    return bare(json.loads(got)) == bare(json.loads(want))


def counted_by(codes):
    out = {}
    for code in codes:
        out[code] = out.get(code, 0) + 1
    return out


def outcome(run):
    return ": ".join([run.ended or "not ended"] + ["\n".join(run.failures)] * bool(run.failures))


def play_fixtures(fixtures):
    """Runs fixtures through the statements above, in scratch schemas that are dropped at the end. Raises if one does not hold."""
    if unplaced():
        raise Failed("step %s is not as it was written, so fixtures cannot move it to schemas of their own" % ", ".join(unplaced()))
    with alone("fixtures"):
        broken = play_all(fixtures)
    if broken:
        raise Failed("%d expectations of fixtures do not hold:\n%s" % (len(broken), "\n".join(broken)))
    print("%d fixtures hold" % len(fixtures))


def play_all(fixtures):
    """Returns what does not hold."""
    global spark, PLACE
    real, broken = spark, []
    spark, PLACE = Scratch(real), placed
    try:
        with session():
            for statement in SCRATCH_TABLES:
                own(statement)
            run = Run("none", {c["name"]: FORMED[c["type"]] for c in PLAN["partition"]})
            run.quiet, run.endings = True, []
            go(run, guard_tables, ensure_tables)  # makes the tables, before a fixture takes a column of the source away
            for number, (name, fixture) in enumerate(fixtures.items(), 1):
                case, began = Case(fixture, number), time.monotonic()
                case.play()
                print("%s  %s (%.1f s)" % ("FAILS" if case.failures else "holds", name, time.monotonic() - began), flush=True)
                broken.extend("%s: %s" % (name, text) for text in case.failures)
    finally:
        try:
            with session():
                drop_scratch()
        finally:  # a batch must never go into what these fixtures leave
            spark, PLACE = real, None
    return broken


def drop_scratch():
    for schema in SCHEMAS:
        try:
            tables = [row["tableName"] for row in own("SHOW TABLES IN " + schema).collect()]
        except Exception:  # it was never made
            continue
        for table in tables:
            own("DROP TABLE IF EXISTS %s.%s PURGE" % (schema, literal(Name(table))))
        own("DROP SCHEMA IF EXISTS %s CASCADE" % schema)
