def ensure_tables(run):
    """Creates what the guard found missing. A routine run skips every step of it."""
    for name in [n for n in STEPS if n.startswith("ensure_")]:
        for alias, columns in run.missing_columns.items():
            if name == "ensure_%s_columns" % alias:
                run.values["missing_columns"] = columns
        try:
            results = perform(run, name)
        except Exception as error:
            if error_class(error) == "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION":
                raise Failed(told(error) + "; a cluster that was killed while it made the table leaves such a folder: it is no table and "
                             "holds no row, so look into it, delete the folder, and run this notebook again") from error
            raise
        if results and "ensure_refs" in results:
            take_heads(run, results["ensure_refs"])
        if results and "ensure_history" in results:
            run.commits = read_history(results["ensure_history"])
            run.base = newest(run.commits)
    run.ensured = True


def stage_rows(run):
    """Counts the source, then writes every row of it to staging: typed, with the codes of the rules that it breaks."""
    run.rows["input"] = single(perform(run, "stage"), "stage_input")["rows"]


def read_staged(rows):
    """Adds up the few result rows of the audit, one for each first code."""
    staged = {"rows": 0, "accepted": 0, "wrong_partition": 0, "reasons": {}, "filled": dict.fromkeys(PLAN["columns"], 0)}
    high = low = 0
    for row in rows:
        staged["rows"] += row["rows"]
        if row["verdict"] == "accepted":
            staged["accepted"] += row["rows"]
            staged["wrong_partition"] = row.get("wrong_partition") or 0
        else:
            staged["reasons"][row["verdict"]] = staged["reasons"].get(row["verdict"], 0) + row["rows"]
        for column in PLAN["columns"]:
            staged["filled"][column] += row["filled_" + column]
        high, low = high + row["hash_high"], low + row["hash_low"]
    if not rows:
        staged["filled"] = {}
    return {**staged, "hash": "%d:%d:%d" % (staged["rows"], high, low)}


def audit_rows(run):
    """One pass over the staged rows, and what it says of columns that are empty in the whole batch."""
    run.staged = read_staged(perform(run, "audit")["audit"])
    run.values.update(batch_hash=run.staged["hash"], batch_columns=SOURCE_COLUMNS)
    reasons, filled = run.staged["reasons"], run.staged["filled"]
    judgeable = run.staged["rows"] - reasons.get("malformed_row", 0) - reasons.get("header_row", 0)
    empty = [c for c in PLAN["columns"] if judgeable > 0 and not filled.get(c)]
    required = [c for c in empty if c in run.required]
    run.numbers["columns_without_value"] = len(required)
    for column in empty:
        if column in run.valued and column not in required:
            run.warn("column_vanished")
            run.note('column_vanished: column "%s" has no value in the whole batch, earlier batches had some.%s' % (column, unread_text(run)))
    results = perform(run, "audit_missing")
    if results is not None:  # a column of texts that cannot be read is the ceiling's matter
        texts = single(results, "audit_missing")
        run.all_null = [c for c in required if not texts["filled_" + c]]


SOURCE_COLUMNS = ",".join(sorted(PLAN["sourceRead"]))


def unread_text(run):
    """Names source columns that the contract does not read: beside an empty column they are the first place to look."""
    return " The source also has %s, which the contract does not read." % ", ".join(run.unread) if run.unread else ""


def settle_rows(run):
    """The batch itself first: its refusals leave quarantine as it was. Then the verdicts that need other rows."""
    judge_batch(run)
    if run.refusals:
        return
    for name in [n for n in STEPS if n.startswith("settle_lookup_")]:
        perform(run, name)
    scope = single(perform(run, "settle_scope"), "settle_scope")
    run.numbers.update({name: n for name, n in scope.items() if isinstance(n, int)})
    run.values.update(key_low=scope.get("key_low"), key_high=scope.get("key_high"))
    if PLAN["partition"]:
        scope_partition(run, scope)
    for name in ("settle_duplicates", "settle_held_back", "settle_published"):
        perform(run, name)
    count_verdicts(run)
    count_warnings(run)
    settle_lookups(run)


def judge_batch(run):
    if run.staged["rows"] != run.rows["input"]:
        run.refuse("rows_not_conserved: %d rows were read from the source, %d were staged; the source changed while it was read, "
                   "run again" % (run.rows["input"], run.staged["rows"]))
    for check in run.checks_of("judge"):
        if check["code"] == "empty_batch":
            one = judge_check(check, run)
            if one["result"] == "failed":
                run.checks.append(one)
                run.refuse("empty_batch: batch %s has %d rows, %s are required (rule %s)" % (run.batch_id, run.rows["input"], one["bound"], check["rule"]))
    if run.staged["wrong_partition"]:
        text = "wrong_partition: %d rows of batch %s do not belong to the partition %s; correct the partition, or land them as a batch of their own"
        run.refuse(text % (run.staged["wrong_partition"], run.batch_id, run.partition))
    if not run.publications or run.published_hash in ("", run.staged["hash"]):
        return
    if run.published_columns != SOURCE_COLUMNS:
        run.note("batch_changed is not judged: the contract now reads other source columns than when this batch was first published")
    elif run.accept_changed:
        run.warn("batch_changed")
    else:
        text = "batch_changed: batch %s was published with other content; land it under a new batch id, or run with --accept-changed"
        run.refuse(text % run.batch_id)


LABELS = ("unchanged", "stale")  # verdicts on accepted rows that change nothing
BACKFILLED = "backfilled"        # and on one that only fills columns which a migration added


def count_verdicts(run):
    """Every row is in exactly one place: accepted and changing something, labelled, or rejected with a first code."""
    run.verdicts = {}
    for row in perform(run, "settle_counts")["settle_counts"]:
        if row["rows_with_two"] and row["reason"] != "published_key_twice":
            run.refuse('rows_not_conserved: %d rows have a second verdict beside "%s"' % (row["rows_with_two"], row["reason"]))
        run.verdicts[row["reason"]] = row["rows"]
    twice = run.verdicts.get("published_key_twice", 0)
    if twice:
        run.refuse("rows_not_conserved: %d rows meet a key that table %s holds more than once; remove its duplicates first" % (twice, PLAN["table"]))
    labelled = sum(run.verdicts.get(label, 0) for label in LABELS)
    settled = sum(n for reason, n in run.verdicts.items() if reason != BACKFILLED)
    run.numbers["changing_rows"] = changing = run.staged["accepted"] - settled
    if changing < 0:
        text = "rows_not_conserved: %d rows were staged without a code, yet %d have a verdict"
        run.refuse(text % (run.staged["accepted"], settled))
    run.reasons = dict(run.staged["reasons"])
    for reason, n in run.verdicts.items():
        if reason not in LABELS and reason != BACKFILLED:
            run.reasons[reason] = run.reasons.get(reason, 0) + n
    run.rows["accepted"], run.rows["rejected"] = changing + labelled, sum(run.reasons.values())
    run.target["unchanged"], run.target["stale"] = (run.verdicts.get(label, 0) for label in LABELS)
    run.numbers["quarantine_rows"] = run.rows["rejected"] + run.numbers["quarantined"]


def count_warnings(run):
    """Rejects that readers should know of: only codes that the feed is to blame for ask for the look."""
    quiet = set(PLAN["notDirt"]) | {"malformed_row", "header_row"}
    run.numbers["dirty_rows"] = sum(n for code, n in run.reasons.items() if code not in quiet)
    results = perform(run, "settle_warnings")
    if results is not None:
        for name in ("newest_rejected", "rejected_but_published"):
            rows = single(results, "settle_warnings")[name]
            if rows:
                run.warn(name, rows)


def settle_lookups(run):
    results = perform(run, "settle_lookups")
    if results is None:
        return
    run.facts["lookups"].update({name: single(results, name) for name in results})
    for check in run.checks_of("settle_lookups"):
        one = judge_check(check, run)
        if check["kind"] == "lookupOnce" and one["result"] == "failed":
            run.checks.append(one)
            text = "rows_not_conserved: relationship %s: the lookup holds a key of this batch more than once (%s); remove its duplicates first"
            run.refuse(text % (check["rule"], one["value"]))


def quarantine_rows(run):
    """Replaces the batch's rejects, then counts them where they lie. A refused batch keeps its evidence."""
    perform(run, "quarantine")
    count_quarantine(run, run.reasons)


def count_quarantine(run, want):
    results = perform(run, "quarantine_counts")
    if results is None:
        return
    have = {row["reason"]: row["rows"] for row in results["quarantine_counts"]}
    if have != want:
        listed = lambda counts: ", ".join("%s %d" % one for one in sorted(counts.items())) or "nothing"
        text = "rows_not_conserved: quarantine holds %s for this batch, the verdicts are %s"
        run.refuse(text % (listed(have), listed(want)))


def judge_rules(run):
    """The rules over the whole batch, before anything is published."""
    if run.refusals:
        return
    if "judge_segments" in STEPS:
        count_segments(run)
    read_values(run, perform(run, "judge"))
    if PLAN["partition"]:
        judge_partition(run)
    keep = judge_steps(run, "settle_lookups", "judge")
    for column in run.all_null:
        text = 'column_all_null: required column "%s" has no value in the whole batch; was it renamed in the source?%s'
        run.refuse(text % (column, unread_text(run)))
    if run.refusals and keep:
        keep_refused(run)


def read_values(run, results):
    """The one row of each rule statement: its only cell, or the columns of the statement that counts all metrics."""
    for name, rows in (results or {}).items():
        for column, value in (rows[0] if rows else {}).items():
            text = None if value is None else str(value)
            run.facts["values"][name, column] = text
            if column == "value" and len(rows[0]) == 1:
                run.facts["values"][name, None] = text


def keep_refused(run):
    """Accepted rows of a refused batch that would have changed something are evidence too."""
    run.numbers["refused"] = changing = run.numbers["changing_rows"]
    perform(run, "quarantine_refused")
    if changing:
        run.rows["refused"], run.numbers["quarantine_rows"] = changing, 1
        count_quarantine(run, {**run.reasons, "batch_refused": changing})


def judge_published(run):
    """Rules over the published table. The batch is published by then: they report, and end nothing."""
    if "judge_target" not in STEPS:
        return
    problem = None
    try:
        perform(run, "judge_target")
    except Exception as error:
        problem = told(error)
        run.note("rules over the published table: %s; the batch is published" % problem)
    read_values(run, run.results)  # also those of the statements before the one that failed
    for check in run.checks_of("judge_target"):
        one = judge_check(check, run)
        if problem and check.get("statement") not in run.results:
            one["value"] = "not known: " + problem
        run.checks.append(one)
        if one["result"] in ("failed", "warned"):
            run.warn(check["rule"])
            text = "published, but rule %s over the table does not hold: %s, expected %s%s"
            run.note(text % (check["rule"], one["value"], one["bound"], asked(one["owner"])))
