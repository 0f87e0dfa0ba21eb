STAMP = re.compile(r"contract=(\S+) id=.* batch=([A-Za-z0-9._:+-]{1,128}) run=([A-Za-z0-9._:+-]{1,128})")

# Operations of Delta that change no row. Any other is taken for a change: an unknown name costs a run, not a wrong verdict.
QUIET = {
    "OPTIMIZE", "VACUUM START", "VACUUM END", "SET TBLPROPERTIES", "UNSET TBLPROPERTIES", "ADD CONSTRAINT", "DROP CONSTRAINT",
    "ADD COLUMNS", "CHANGE COLUMN", "CHANGE COLUMNS", "UPGRADE PROTOCOL", "ADD FEATURE", "DROP FEATURE", "CREATE TABLE",
    "COMPUTE STATS", "CLUSTER BY", "REORG", "SET ROW TRACKING",
}
PUBLISHES = "WRITE" if PLAN["partition"] else "MERGE"


def read_history(rows):
    """DESCRIBE HISTORY, newest first, with the run that each commit names."""
    out = []
    for row in rows:
        stamp = STAMP.fullmatch(row["userMetadata"] or "")
        read = row["readVersion"]
        out.append({
            "version": row["version"], "read": -1 if read is None else read, "operation": row["operation"] or "",
            "stamp": row["userMetadata"] or "", "batch": stamp and stamp.group(2), "run": stamp and stamp.group(3),
            "metrics": {k: int(v) for k, v in (row["operationMetrics"] or {}).items() if re.fullmatch(r"-?\d+", str(v))},
        })
    return out


def newest(commits):
    return max((c["version"] for c in commits), default=-1)


def changed_after(commits, version):
    """The first commit after a version that changed rows. A history that starts later hides commits: it counts as changed."""
    later = [c for c in commits if c["version"] > version and c["operation"] not in QUIET]
    if later:
        return min(later, key=lambda c: c["version"])
    if commits and min(c["version"] for c in commits) > version + 1:
        return {"version": version + 1, "operation": "not shown by the history"}
    return None


def of_run(commits, run_id):
    """The publishing commit of a run: by run id and operation, never the latest one."""
    return next((c for c in commits if c["run"] == run_id and c["operation"] == PUBLISHES), None)


def publish_rows(run):
    """Publishes the rows that change something, and proves the commit by the run id in its history."""
    results = perform(run, "publish_check")
    if results is not None:
        commits = read_history(results["publish_history"])
        other = changed_after(commits, run.base)
        if other:
            raise moved("version %d of %s is a %s of another writer" % (other["version"], PLAN["table"], other["operation"]))
        run.base = max(run.base, newest(commits))
    run.publishing = True
    try:
        perform(run, "publish")
    except BaseException as error:  # an interrupt too: the statement may go on
        unpublished(run, error)
        return
    look = "; the %s had returned, so look for run=%s in DESCRIBE HISTORY" % (PUBLISHES, run.run_id)
    try:
        results = perform(run, "publish_proof")
    except Exception as error:
        raise Doubt("reading the history of %s after publishing: %s%s" % (PLAN["table"], told(error), look)) from error
    if results is None:
        return
    commits = read_history(results["publish_proof"])
    commit = of_run(commits, run.run_id)
    if commit is None:
        raise Doubt("proving the commit: the history of %s shows no %s with run=%s, although the statement returned" % (
            PLAN["table"], PUBLISHES, run.run_id))
    settle_commit(run, commit, commits)


def unpublished(run, error):
    """A publish that reported an error: a commit that is there counts. One that is not there counts as absent only if the
    server itself refused the statement; after a broken connection it may still be running."""
    try:
        commits = read_history(perform(run, "publish_proof")["publish_proof"])
    except Exception as second:
        raise Doubt("%s; the outcome is unknown (%s), look for run=%s in DESCRIBE HISTORY %s" % (
            told(error), told(second), run.run_id, PLAN["table"])) from error
    commit = of_run(commits, run.run_id)
    if commit:
        run.note("the %s reported an error, but version %d of %s carries this run: %s" % (PUBLISHES, commit["version"], PLAN["table"], told(error)))
        settle_commit(run, commit, commits)
        return
    if unknown(error):
        raise Doubt("%s; the outcome is unknown, look for run=%s in DESCRIBE HISTORY %s" % (told(error), run.run_id, PLAN["table"])) from error
    run.publishing = False
    if error_class(error).startswith(("DELTA_CONCURRENT_", "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED")):
        raise moved(told(error)) from error
    raise NotPublished(told(error)) from error


def settle_commit(run, commit, commits):
    """Proves the commit. Where another writer came just before it, rows of a MERGE are judged once more against the
    version that it read, and quarantine is completed; a replaced partition has no row to judge again."""
    problem = prove_commit(run, commit)
    if PLAN["partition"]:
        if problem:
            raise Doubt(problem)
        other = changed_after([c for c in commits if c["version"] <= commit["read"]], run.base)
        if other and commit["read"] > run.base:
            raise Doubt("version %d of %s is a %s of another writer, committed just before the partition was replaced: keys of this "
                        "batch may be published twice; run this notebook again" % (other["version"], PLAN["table"], other["operation"]))
        return
    fills = run.added and run.numbers["changing_rows"] > 0
    if commit["read"] <= run.base or not problem and not fills:
        if problem:
            raise Doubt(problem)
        return
    text = "another writer committed version %d of %s just before the MERGE; its rows are judged again"
    run.note(text % (commit["read"], PLAN["table"]))
    run.numbers["moved"], run.values["read_version"] = 1, commit["read"]
    try:
        perform(run, "settle_moved")
        count_verdicts(run)
        quarantine_rows(run)
    except Exception as error:
        raise Doubt(told(error) + "; the batch is published, run this notebook again to complete its quarantine") from error
    problem = "; ".join(run.refusals) or prove_commit(run, commit)
    if problem:
        raise Doubt(problem)


def prove_commit(run, commit):
    """Checks the commit's own row counts against the verdicts. Returns what does not fit."""
    run.commit = {"version": commit["version"], "userMetadata": commit["stamp"]}
    metrics, wanted, table = commit["metrics"], run.numbers["changing_rows"], PLAN["table"]
    text = "rows_not_conserved: version %d of %s was published with %d rows %s, the verdicts expected %d%s"
    if PLAN["partition"]:
        run.numbers["replaced_rows"] = metrics.get("numDeletedRows", run.numbers["replaced_rows"])  # a killed run's own number is gone
        replaced(run)
        got = metrics.get("numOutputRows", 0)
        return "" if got == wanted else text % (commit["version"], table, got, "in the partition", wanted, "")
    inserted, updated = metrics.get("numTargetRowsInserted", 0), metrics.get("numTargetRowsUpdated", 0)
    filled = run.verdicts.get(BACKFILLED, 0)
    run.target.update(inserted=inserted, updated=updated - filled, backfilled=filled)
    if updated < filled:
        return text % (commit["version"], table, updated, "updated", filled, " to fill added columns alone")
    return "" if inserted + updated == wanted else text % (commit["version"], table, inserted + updated, "inserted or updated", wanted, "")


def recover_runs(run):
    """Records publishes of this batch that a killed run left without an audit-log row. Its staged rows and verdicts are
    still there under its run id, so the row is counted from them as that run would have."""
    for commit in run.commits:
        if commit["batch"] == run.batch_id and commit["operation"] == PUBLISHES and commit["run"] not in run.recorded:
            recover_one(run, commit["run"], lambda lost: prove_commit(lost, commit))
            run.note("recovered: run %s had published version %d without recording it" % (commit["run"], commit["version"]))
