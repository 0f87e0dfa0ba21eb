MAIN = "main"


def take_heads(run, rows):
    """The heads that the verdicts of this run stand on."""
    run.heads = heads_of(rows)
    run.main = run.values["main_snapshot"] = head(run.heads, MAIN)["snapshot_id"]
    run.numbers["main_absent"] = int(not run.main)


def heads_of(rows):
    return {row["name"]: row for row in rows}


def head(heads, name):
    return heads.get(name, {"snapshot_id": 0})


def stamp_of(run):
    return run.text(PLAN["stamp"])


def pin_name(run, run_id):
    """The tag of an audited snapshot: sluice/<batch>/<run>. Ids hold no slash."""
    return "sluice/%s/%s" % (run.batch_id, run_id)


def write_candidate(run):
    """Writes the accepted rows on a fresh branch, and proves it: it must hold exactly this batch beside what main has.
    Main is not touched. A refused branch stays, for a look, until the next run."""
    if run.refusals:
        return
    perform(run, "branch")
    perform(run, "write")
    try:
        results = perform(run, "prove")
    except Exception as error:
        if not unknown(error):
            look_again(run)  # a branch that moved meanwhile says nothing of the batch
        raise
    if results is None:
        return
    prove_branch(run, results)
    read_values(run, results)
    keep = judge_steps(run, "prove")
    if run.refusals:
        look_again(run)
        if keep:
            keep_refused(run)


def look_again(run):
    """Reads the heads once more. Returns whether it looked: a run that writes nothing does not."""
    results = perform(run, "publish_check")
    if results is not None:
        unmoved(run, heads_of(results["publish_refs"]))
    return results is not None


def unmoved(run, heads):
    """Another main than the verdicts were decided on, or another branch than was proven, ends the run."""
    main, branch = head(heads, MAIN)["snapshot_id"], head(heads, PLAN["branch"])["snapshot_id"]
    if main != run.main:
        raise moved("main of %s is snapshot %d, the verdicts were decided on %d" % (PLAN["table"], main, run.main))
    if not branch:
        raise moved("branch %s of %s is gone" % (PLAN["branch"], PLAN["table"]))
    if run.audited and branch != run.audited:
        text = "branch %s of %s is snapshot %d, not the audited %d, so another client wrote to it"
        raise moved(text % (PLAN["branch"], PLAN["table"], branch, run.audited))


def prove_branch(run, results):
    """Turns the numbers of the proofs into facts."""
    heads = heads_of(results["prove_chain"])
    unmoved(run, heads)
    branch = heads[PLAN["branch"]]
    run.audited = run.values["audited_snapshot"] = branch["snapshot_id"]
    run.numbers["unstamped"] = int(not branch["user_metadata"])
    value, bound, ok, _ = chain = prove_chain(run, branch)
    if not ok and branch["user_metadata"] == stamp_of(run):  # the head is ours, what it stands on is not
        text = "branch %s of %s is %s, not on main's head %d; another client wrote to it first"
        raise moved(text % (PLAN["branch"], PLAN["table"], value, run.main))
    run.facts["decided"].update(branch_is_this_run=chain, partition_rows=prove_rows(run, results), no_key_twice=prove_keys(run, results))
    if "prove_partitions" in results:
        row = single(results, "prove_partitions")
        fact = ("%d files of other partitions lost, %d new" % (row["lost_files"], row["new_files"]), "0, 0", not row["lost_files"] and not row["new_files"], None)
        run.facts["decided"].update(other_partitions_equal=fact, prove_partitions=fact)


def chain_text(branch):
    text = "%d (%s)" % (branch["snapshot_id"], branch["operation"])
    text += " on %d" % branch["parent_id"] if branch["parent_id"] else ""
    text += " (%s)" % branch["parent_operation"] if branch["parent_operation"] else ""
    return text + (" on %d" % branch["grandparent_id"] if branch["grandparent_id"] else "")


def prove_chain(run, branch):
    """Between main's head and the branch's stand exactly the snapshots of this run's statements."""
    value, bound = chain_text(branch), "one write of run %s on %d" % (run.run_id, run.main)
    ok = (branch["parent_id"] or 0) == run.main
    if PLAN["partition"]:
        bound = "append and delete of run %s on %d" % (run.run_id, run.main)
        ok = (branch["grandparent_id"] or 0) == run.main and branch["operation"] == "append" and branch["parent_operation"] in ("delete", "overwrite")
    if branch["user_metadata"] and branch["user_metadata"] != stamp_of(run):
        return value + ", stamped " + json.dumps(branch["user_metadata"], ensure_ascii=False), bound, False, None
    return value, bound, ok, None


def prove_rows(run, results):
    row, written = single(results, "prove_rows"), run.numbers["changing_rows"]
    if PLAN["partition"]:
        return "%d rows" % row["branch_rows"], "%d accepted rows" % written, row["branch_rows"] == written, None
    more, filled = row["branch_rows"] - row["main_rows"], run.verdicts.get(BACKFILLED, 0)
    run.target.update(inserted=more, backfilled=filled, updated=written - more - filled)
    return "%d rows more than main" % more, "0 to %d" % written, more >= 0 and run.target["updated"] >= 0, None


def prove_keys(run, results):
    row, written = single(results, "prove_keys"), run.numbers["changing_rows"]
    value = "%d of the written keys, %d missing, %d with other content" % (row["pairs"], row["missing_rows"], row["other_rows"])
    return value, "%d, 0, 0" % written, row["pairs"] == written and not row["missing_rows"] and not row["other_rows"], None


def publish_rows(run):
    """Moves main to exactly the audited snapshot, by a tag that nobody else writes to, and proves where main is then."""
    if not look_again(run):
        return
    pin(run, run.run_id)
    run.publishing = True
    try:
        perform(run, "publish")
    except BaseException as error:  # an interrupt too: the statement may go on
        not_forwarded(run, error)
        return
    try:
        heads = heads_of(perform(run, "publish_proof")["publish_proof"])
    except Exception as error:
        raise Doubt("reading the heads of %s after publishing: %s; fast_forward had returned, so compare main with snapshot %d" % (
            PLAN["table"], told(error), run.audited)) from error
    if not reached(run, heads):
        raise Doubt("proving the publish: main of %s is snapshot %d, not the audited %d, although fast_forward returned" % (
            PLAN["table"], head(heads, MAIN)["snapshot_id"], run.audited))
    committed(run, run.audited, run.main)


def reached(run, heads):
    """Whether main is, or was, the audited snapshot."""
    tag = heads.get(run.values["pin_name"], {})
    return head(heads, MAIN)["snapshot_id"] == run.audited or bool(tag.get("on_main"))


def not_forwarded(run, error):
    """Looks once where main is after fast_forward reported an error."""
    try:
        heads = heads_of(perform(run, "publish_proof")["publish_proof"])
    except Exception:
        heads = None
    if heads is not None and reached(run, heads):
        run.note("fast_forward reported an error, but main is the audited snapshot %d: %s" % (run.audited, told(error)))
        committed(run, run.audited, run.main)
    elif heads is None or unknown(error):
        raise Doubt("%s; the outcome is unknown, compare main of %s with the audited snapshot %d" % (told(error), PLAN["table"], run.audited)) from error
    else:
        run.publishing = False
        unpin(run)
        if "Cannot fast-forward" in str(error):
            raise moved(told(error)) from error
        raise NotPublished(told(error)) from error


def committed(run, snapshot, previous):
    """Fills in the report of a published snapshot."""
    run.commit = {"snapshot": str(snapshot), "previous": str(previous), "branch": PLAN["branch"]}
    if PLAN["partition"]:
        replaced(run)
    run.values["commit_stamp"] = "snapshot=%d %s" % (snapshot, stamp_of(run))
    if run.numbers["unstamped"]:
        run.note("this runtime does not stamp snapshots: the table property contract.commit and the audit log say which run wrote main's head")
    else:
        run.commit["userMetadata"] = stamp_of(run)


def pin(run, run_id):
    run.numbers["pinned"] = 1
    run.values.update(pin=Name(pin_name(run, run_id)), pin_name=pin_name(run, run_id))


def unpin(run):
    """Drops the tag of a run that is recorded, or that published nothing. One that stays expires, or goes with the next run."""
    try:
        perform(run, "record_unpin")
    except Exception as error:
        run.note("dropping the tag %s: %s; it expires by itself" % (run.values["pin_name"], told(error)))
    run.numbers["pinned"] = 0


def recover_runs(run):
    """Records the publish of a killed run of this batch, which its tag shows, and drops the tags of runs that published
    nothing. A run drops its own tag once it is recorded."""
    begin = pin_name(run, "")
    for name, tag in run.heads.items():
        if tag["type"] != "TAG" or not name.startswith(begin) or name == begin:
            continue
        run_id = name[len(begin):]
        if tag["on_main"] and run_id not in run.recorded:
            recover_one(run, run_id, lambda lost: count_forwarded(lost, tag))
            run.note("recovered: run %s had published snapshot %d without recording it" % (run_id, tag["snapshot_id"]))
        pin(run, run_id)
        unpin(run)


def count_forwarded(lost, tag):
    """The numbers of a killed run, which Iceberg keeps in the summaries of its snapshots."""
    lost.numbers["unstamped"] = int(not tag["user_metadata"])
    lost.numbers["replaced_rows"] = tag["parent_deleted"] or 0
    committed(lost, tag["snapshot_id"], (tag["grandparent_id"] if PLAN["partition"] else tag["parent_id"]) or 0)
    if not PLAN["partition"]:
        more, filled = (tag["records"] or 0) - (tag["parent_records"] or 0), lost.verdicts.get(BACKFILLED, 0)
        lost.target.update(inserted=more, backfilled=filled, updated=lost.numbers["changing_rows"] - more - filled)
    return ""
