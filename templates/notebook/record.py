def record_run(run, published, passed, recovered=False):
    """Fills the audit-log row, the last thing of a run, and writes it."""
    commit = run.commit or {}
    text = lambda value: json.dumps(value, ensure_ascii=False, sort_keys=True)
    run.values.update(
        attempt=run.attempt, started_at=run.started.strftime("%Y-%m-%d %H:%M:%S.%f"), partition=run.partition or None,
        input_rows=run.rows["input"], accepted_rows=run.rows["accepted"], rejected_rows=run.rows["rejected"], refused_rows=run.rows["refused"],
        reasons=text(run.reasons), filled=text(run.staged["filled"]), checks=text(run.checks), target_counts=text(run.target),
        segments=text(recorded_segments(run) if PLAN["groupings"] else None),
        step_seconds=text({s["name"]: s["seconds"] for s in run.steps if not s.get("skipped")}), failures=text(run.failures),
        commit_version=commit.get("version"), snapshot_id=int(commit["snapshot"]) if "snapshot" in commit else None,
        batch_hash=run.staged["hash"] or None, batch_columns=SOURCE_COLUMNS, passed=passed, published=published, recovered=recovered)
    perform(run, "record")


def finish(run):
    """Ends a run that no statement stopped: the rules over the published table, the version of the contract, the
    audit-log row. A refused batch has its row too, before the refusal is raised."""
    run.passed = not run.refusals
    run.publishing = run.passed  # whatever stops it now, the batch is published
    run.failures.extend(run.refusals)
    if run.passed:
        judge_published(run)
        if PLAN["partition"]:
            list_orphans(run)
        again = "%s; the batch is published, run this notebook again to record it"
        try:
            perform(run, "record_version")
            perform(run, "record_commit")
            record_run(run, True, True)
        except Exception as error:
            raise Doubt(again % told(error)) from error
    elif run.ensured or run.numbers["audit_log_exists"]:
        record_run(run, False, False)
    else:
        run.note("not recorded: there is no audit log yet, and a guard that refuses a first run writes nothing")
    run.ended = "published" if run.passed else "refused"
    if PLAN["branch"] and (run.ensured or run.numbers["audit_log_exists"]):
        unpin(run)
    if not run.passed:
        raise Refused("\n".join(run.refusals))


def fail(run, error):
    """Ends a run that an error stopped, with an audit-log row if there is a log. What is not known is not recorded."""
    run.ended = error.result if isinstance(error, Failed) else "failed"
    run.failures.append(told(error))
    if run.ended == "unknown" or not (run.ensured or run.numbers["audit_log_exists"]):
        return
    try:
        with session():
            record_run(run, False, isinstance(error, NotPublished))
    except Exception as second:
        run.failures.append("recording the failure: " + told(second))


def recover_one(run, run_id, prove):
    lost = Run(run.batch_id, run.given)
    lost.values.update(run.values, run_id=run_id)
    lost.run_id, lost.started, lost.quiet, lost.attempt = run_id, run.started, True, 0
    lost.numbers["audit_log_exists"] = 1
    lost.staged = read_staged(perform(lost, "audit")["audit"])
    lost.values["batch_hash"] = lost.staged["hash"]
    count_verdicts(lost)
    if "judge_segments" in STEPS:
        count_segments(lost)
    lost.rows["input"] = lost.staged["rows"]
    # A commit that changed fewer rows than the verdicts said met another writer's: it does not count as a publication
    # of this batch, and this run decides the rest anew.
    doubtful = prove(lost)
    lost.failures.extend([doubtful] if doubtful else [])
    record_run(lost, not doubtful, True, recovered=True)
    if not doubtful:
        run.publications += 1
        run.published_hash, run.published_columns = lost.staged["hash"], SOURCE_COLUMNS
    run.recorded.add(run_id)


def check_turn(run, names):
    """A part left out or done twice would publish what nobody judged, and a step whose cell was not run judges nothing."""
    if run.ended:
        raise Failed("this run has ended (%s); start again at the cell that makes one" % run.ended)
    wanted = PLAN["parts"][len(run.begun):][:len(names)]
    if names != wanted:
        text = "this run goes on with %s, not with %s; run its cells in their order, each once, or start again at the cell that makes one"
        raise Failed(text % (" and ".join(wanted), " and ".join(names)))
    if list(STEPS) != PLAN["steps"]:
        raise Failed("the cells of statements were not run, or not in their order; run every cell above the run, then go on here")


def go(run, *parts):
    """Goes on with a run: its next parts, under the settings that give a value the same meaning everywhere. The first error
    ends it, and so does a refusal. Without a run there is nothing to do."""
    if run is None:
        return
    check_turn(run, [part.__name__ for part in parts])
    with alone(run.run_id):
        proceed(run, parts)


def proceed(run, parts):
    """What is begun is not begun again, whatever stops it."""
    try:
        run.begun += [part.__name__ for part in parts]
        if not run.steps:
            run.say("run %s of batch %s into %s" % (run.run_id, run.batch_id, PLAN["table"]))
        with session():
            for part in parts:
                part(run)
                if run.refusals and not run.ended:
                    finish(run)
    except BaseException as error:  # an interrupt too
        if run.ended:  # it is recorded: what failed came behind that
            raise
        ending = error if isinstance(error, Failed) else Failed(told(error) or type(error).__name__)
        if run.publishing and not isinstance(error, Doubt):
            ending = Doubt("%s; the batch may be published, so run this notebook again, which looks and records it" % ending)
        fail(run, ending)
        if ending is error or not isinstance(error, Exception):
            raise
        raise ending from error


def summary(run):
    """Prints the last line of a run, and returns its report."""
    if run is None:
        return None
    changed = ", ".join("%d %s" % (n, what) for what, n in run.target.items() if n) or "nothing changed"
    rejected = ", ".join("%s %d" % one for one in sorted(run.reasons.items()))
    print("%s %s batch %s run %s: %d rows = %d accepted + %d rejected%s; %s" % (
        (run.ended or "not ended").upper(), PLAN["table"], run.batch_id, run.run_id, run.rows["input"], run.rows["accepted"], run.rows["rejected"],
        " (%s)" % rejected if rejected else "", changed))
    return run.report()
