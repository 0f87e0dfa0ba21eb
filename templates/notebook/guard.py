def guard_tables(run):
    """Reads the state of every table and judges it whole: nothing is written before, and all problems come in one message."""
    note_endings(run)
    live = describe_all(run)
    for table in PLAN["tables"]:
        compare_table(run, table, live.get(table["alias"]))
    published = perform(run, "guard_published")
    if published is None:
        fresh_target(run)
    else:
        read_published(run, published)
    read_log(run, perform(run, "guard_log"))
    if "guard_segments" in STEPS:
        read_usual(run)
    if not run.findings:
        return
    lines = ["%s: %s" % (code, text) for code, text, _, _ in run.findings]
    older = stand(PLAN["version"], run.properties.get("contract.version", "")) in OLDER
    if not older and any(mended for _, _, _, mended in run.findings):  # what a newer contract wrote is never taken back
        lines.append("to mend the table: sluice migrate CONTRACT shows the statements, each with its reason; with --apply it runs them")
    if not all(refuses for _, _, refuses, _ in run.findings):
        raise Failed("\n".join(lines))
    run.refuse("\n".join(lines))


def describe_all(run):
    """The columns of all tables by alias, by one statement. Only when one does not exist is each asked for alone."""
    began = time.monotonic()
    try:
        combined = spark.sql(GUARD_COLUMNS).schema
        return {field.name: columns_of(field.dataType) for field in combined.fields}
    except Exception as error:
        if error_class(error) not in NOT_FOUND:
            raise
    finally:
        run.steps.append({"name": "guard_columns", "seconds": round(time.monotonic() - began, 3)})
    live = {}
    for table in PLAN["tables"]:
        try:
            live[table["alias"]] = columns_of(spark.sql(table["describe"]).schema)
        except Exception as error:
            if error_class(error) not in NOT_FOUND:
                raise
    return live


NOT_FOUND = ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "DELTA_TABLE_NOT_FOUND", "DELTA_MISSING_DELTA_TABLE")


def columns_of(struct):
    """Name in lower case -> (name, type, nullable)."""
    return {f.name.lower(): (f.name, ddl_of(f.dataType), f.nullable) for f in struct.fields}


def ddl_of(kind):
    return kind.simpleString().upper()


def same_type(a, b):
    """Types without the names' case, the quotes and the blanks that DDL allows inside of them."""
    return re.sub(r"[ `]", "", a).upper() == re.sub(r"[ `]", "", b).upper()


def compare_table(run, table, live):
    if live is not None:
        run.numbers[table["alias"] + "_exists"] = 1
    if table["role"] in ("source", "lookup"):
        compare_read(run, table, live)
    elif live is None:
        run.numbers["missing_" + table["alias"]] = 1
        run.numbers["missing_tables"] += 1
    elif table["role"] == "target":
        run.live = live
    else:
        compare_helper(run, table, live)


def compare_read(run, table, live):
    """A table that the run only reads: the batch is refused for its source, the run fails for a lookup."""
    lookup = table["role"] == "lookup"
    code = "lookup_missing" if lookup else "missing_source_column"
    if live is None:
        advice = "publish it first, or correct the relationship" if lookup else "land a file first (sluice land), or correct source.table"
        run.find(code, "table %s does not exist; %s" % (table["name"], advice), not lookup)
        return
    wanted = {c["name"].lower() for c in table["columns"]}
    for column in table["columns"]:
        if column["name"].lower() not in live:
            has = [name for name, _, _ in live.values()]
            shown = has[:40] + ["and %d more" % (len(has) - 40)] * (len(has) > 40)
            run.find(code, 'table %s has no column "%s"; it has %s' % (table["name"], column["name"], ", ".join(shown)), not lookup)
    if not lookup:
        run.unread = [name for key, (name, _, _) in live.items() if key not in wanted and not name.startswith("_")]


def compare_helper(run, table, live):
    """Columns that a table of an older version lacks are added; another type is drift. Nothing is rewritten here."""
    missing, kept = [], "rename the table, and a run makes a new one"
    for want in table["columns"]:
        got = live.get(want["name"].lower())
        if got is None:
            missing.append(want)
        elif not same_type(got[1], want["type"]):
            text, staging = 'table %s: column "%s" is %s, this version writes %s', table["role"] == "staging"
            run.find("target_drift", text % (table["name"], want["name"], got[1], want["type"]) + ("" if staging else "; " + kept), mended=staging)
    for key, (name, _, nullable) in live.items():
        if not nullable and key not in {c["name"].lower() for c in table["columns"]}:
            run.find("target_drift", 'table %s: column "%s" may not be NULL, and this version does not write it; %s' % (table["name"], name, kept))
    if missing:
        run.numbers["new_%s_columns" % table["alias"]] = len(missing)
        run.missing_columns[table["alias"]] = Columns(", ".join("`%s` %s" % (c["name"].replace("`", "``"), c["type"]) for c in missing))


def fresh_target(run):
    """A target that does not exist yet: ensure creates it with its constraints and, last, its version."""
    run.numbers["version_absent"] = run.numbers["main_absent"] = 1
    for name in PLAN["constraints"]:
        run.numbers["missing_constraint_" + name] = 1


def read_published(run, results):
    run.properties = {row["key"]: row["value"] for row in results["guard_properties"]}
    compare_target(run, stand(PLAN["version"], run.properties.get("contract.version", "")))
    added = {key[len("contract.added."):].lower() for key in run.properties if key.startswith("contract.added.")}
    run.added = run.values["added_columns"] = [c for c in PLAN["columns"] if c.lower() in added]
    if PLAN["branch"]:
        if run.properties.get("write.wap.enabled") != "true":
            run.numbers["wap_disabled"] = 1
            run.note("table %s had no write.wap.enabled; it is set now, without it a branch would be ignored" % PLAN["table"])
        take_heads(run, results["guard_refs"])
    else:
        run.commits = read_history(results["guard_history"])
        run.base = newest(run.commits)


def parts_of(version):
    parts = version.split(".")
    if not 2 <= len(parts) <= 3 or not all(re.fullmatch(r"\d+", p) for p in parts):
        return None
    return [int(p) for p in parts] + [0] * (3 - len(parts))


def stand(contract, table):
    """How the version of the contract stands to contract.version of the table."""
    ours, theirs = parts_of(contract), parts_of(table)
    if not table:
        return "none"
    if theirs is None:
        return "unreadable"
    if ours == theirs:
        return "same"
    if ours[0] != theirs[0]:
        return "newMajor" if ours[0] > theirs[0] else "oldMajor"
    return "ahead" if ours > theirs else "behind"


def compare_target(run, standing):
    """Each difference between table and contract stops the run, but for what ensure finishes (a table without a
    version was not finished) and for optional columns that a newer contract added."""
    table, theirs = PLAN["table"], run.properties.get("contract.version", "")
    run.numbers["version_absent"], run.numbers["version_raised"] = standing == "none", standing == "ahead"
    if standing == "behind":
        run.warn("writer_behind")
        run.note("writer_behind: table %s was written by contract %s, this run brings %s; deploy the newer contract" % (table, theirs, PLAN["version"]))
    elif standing == "newMajor":
        text = "table %s was written by contract %s, this is %s: another major needs a migration"
        run.find("target_drift", text % (table, theirs, PLAN["version"]), mended=True)
    elif standing == "oldMajor":
        text = "table %s was written by contract %s, this is %s: deploy the newer contract; sluice migrate never takes a table back to an older major"
        run.find("target_drift", text % (table, theirs, PLAN["version"]))
    elif standing == "unreadable":
        run.find("target_drift", 'table %s: contract.version is "%s", not MAJOR.MINOR.PATCH' % (table, theirs), mended=True)
    for kind, text in drift(run):
        if kind == "missing_check" and standing == "none":
            run.numbers["missing_constraint_" + text] = 1
        elif kind == "extra_optional" and standing == "behind":
            continue
        else:
            if kind == "missing_check":
                text = " lacks CHECK %s (%s)" % (text, PLAN["constraints"][text])
            older = "; a newer contract wrote it, so deploy that one" if standing in OLDER else ""
            run.find("target_drift", "table %s%s%s" % (table, text, older), mended=standing not in OLDER)


OLDER = ("behind", "oldMajor")  # a newer contract wrote the table: this one must never change it


def words_of(sql):
    """An expression without the blanks between its words: Delta keeps -5 as - 5."""
    return [m.group(0) for m in re.finditer(TOKEN.pattern + r"|\w+|\S", sql, re.DOTALL)]


def drift(run):
    """Differences in columns and CHECKs, in both directions, as (kind, text)."""
    target = next(t for t in PLAN["tables"] if t["role"] == "target")
    checks = {k[len("delta.constraints."):]: v for k, v in run.properties.items() if k.startswith("delta.constraints.")}
    held = {}  # columns that a CHECK keeps from being NULL: an existing column of Delta cannot be made NOT NULL
    for name, expression in checks.items():
        for c in target["columns"]:
            if words_of(expression) in (words_of("`%s` IS NOT NULL" % c["name"].replace("`", "``")), words_of(c["name"] + " IS NOT NULL")):
                held[c["name"].lower()] = name
    for want in target["columns"]:
        have = run.live.get(want["name"].lower())
        if have is None:
            yield "missing", ' has no column "%s" (%s)' % (want["name"], want["type"])
        elif not same_type(have[1], want["type"]):
            yield "type", ': column "%s" is %s, the contract says %s' % (want["name"], have[1], want["type"])
        elif want["nullable"] and not have[2]:
            yield "null", ': column "%s" is NOT NULL, the contract makes it optional' % want["name"]
        elif not want["nullable"] and have[2] and not target.get("noCheck") and want["name"].lower() not in held:
            yield "null", ': column "%s" may be NULL, the contract requires it' % want["name"]
    known = {c["name"].lower(): c for c in target["columns"]}
    for key, (name, kind, nullable) in run.live.items():
        if key not in known:
            yield "extra_optional" if nullable else "extra", ' has a column "%s" (%s) that the contract does not declare' % (name, kind)
    for name, expression in PLAN["constraints"].items():
        if name.lower() not in checks:
            yield "missing_check", name
        elif words_of(checks[name.lower()]) != words_of(expression):
            yield "check", ": CHECK %s is (%s), the contract says (%s)" % (name, checks[name.lower()], expression)
    wanted = {name.lower() for name in PLAN["constraints"]} | {check for column, check in held.items() if not known[column]["nullable"]}
    for name in sorted(set(checks) - wanted):
        yield "extra_check", " has a CHECK %s (%s) that the contract does not declare" % (name, checks[name])


def read_log(run, results):
    """What earlier runs recorded. Without an audit log there was no earlier run."""
    for row in (results or {}).get("guard_log", []):
        run.publications, run.waiting = row["publications"], row.get("waiting_batches") or 0
        run.facts["batches"], run.facts["median"] = row["baseline_batches"], row["median_rows"] or 0.0
        run.published_hash, run.published_columns = row["published_hash"] or "", row["published_columns"] or ""
        run.valued = set((row["valued_columns"] or "").split(","))
        run.recorded = set((row["recorded_runs"] or "").split())


def note_endings(run):
    """Says on every run what is deprecated. After its end of life a run fails only if the contract says so."""
    today = run.started.strftime("%Y-%m-%d")
    for e in run.endings:
        text = 'column "%s"' % e["column"] if e.get("column") else "table " + PLAN["table"]
        text += " ends on " + e["endOfLife"] if e.get("endOfLife") else ""
        text += ', use "%s"' % e["successor"] if e.get("successor") else ""
        text += "; still read by " + ", ".join(e["readers"]) if e.get("readers") else ""
        run.warn("deprecated")
        if not e.get("endOfLife") or today <= e["endOfLife"]:
            run.note("deprecated: " + text)
        elif e.get("fail"):
            run.find("end_of_life", text + "; remove it from the contract, or move the date")
        else:
            run.note("deprecated, and its end of life is over: " + text)
