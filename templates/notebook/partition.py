FORMS = {
    "DATE": r"[0-9]{4}-[0-9]{2}-[0-9]{2}", "INT": r"-?(0|[1-9][0-9]{0,9})", "BIGINT": r"-?(0|[1-9][0-9]{0,18})",
    "STRING": r".{1,256}", "BOOLEAN": r"true|false",
}


def take_partition(run, given):
    """Checks the parameters that name the partition, and fills their markers. Returns it as --partition names it."""
    for column in PLAN["partition"]:
        name, kind, value = column["name"], column["type"], str(given.get(column["name"], ""))
        if not re.fullmatch(FORMS[kind], value, re.DOTALL) or any(unicodedata.category(c).startswith("C") for c in value):
            text = "reading the partition: %s=%s is no %s; this run replaces one partition of table %s, so set the parameter"
            raise Failed(text % (name, json.dumps(value, ensure_ascii=False), kind, PLAN["table"]))
        try:
            kind != "DATE" or datetime.strptime(value, "%Y-%m-%d")
        except ValueError as error:
            raise Failed("reading the partition: %s=%s is no day of the calendar" % (name, value)) from error
        run.values[column["param"]] = value
    return ",".join("%s=%s" % (c["name"], run.values[c["param"]]) for c in PLAN["partition"])


def scope_partition(run, scope):
    """What the batch is about to replace."""
    run.facts["decided"]["older_delivery"] = (
        "newest row of " + (scope["batch_newest"] or "none"), "not before %s of the published partition" % (scope["published_newest"] or "none"),
        not scope["older_delivery"], "warned" if "older_delivery" in run.allow else None)


def judge_partition(run):
    """Whether the batch may stand in place of the published rows. A day that loses more than half was cut off."""
    rows, before, decided = run.numbers["changing_rows"], run.numbers["replaced_rows"], run.facts["decided"]
    way = lambda code: "warned" if code in run.allow else None
    decided["nothing_accepted"] = ("%d accepted rows" % rows, "at least 1", rows > 0, way("nothing_accepted"))
    decided["partition_shrinks"] = (
        "%d accepted rows, %d published" % (rows, before), "at least half of the published rows",
        2 * rows >= before, way("partition_shrinks") if rows else "skipped")
    if not rows:  # one fault is told once
        decided["older_delivery"] = ("no accepted row", decided["older_delivery"][1], False, "skipped")


def replaced(run):
    if PLAN["partition"]:
        run.target["inserted"], run.target["deleted"] = run.numbers["changing_rows"], run.numbers["replaced_rows"]


def list_orphans(run):
    """Rows that other batches lost to a key which this run took away. A failed look changes nothing of the published batch."""
    run.numbers["orphans_possible"] = int(run.numbers["replaced_rows"] > 0 and run.waiting > 0)
    try:
        results = perform(run, "orphans") or {}
    except Exception as error:
        run.note("looking for rejects whose key is no longer published: %s; the batch is published" % told(error))
        return
    for row in results.get("orphans", []):
        run.warn("orphaned_rejects", row["rows"])
        text = "orphaned_rejects: %d rows of batch %s were rejected for a key (such as %s) that is published nowhere any more; to publish them, run batch %s again"
        again = row["batch_id"] + (" with partition " + row["partition"] if row.get("partition") else "")
        run.note(text % (row["rows"], row["batch_id"], row["example"], again))
