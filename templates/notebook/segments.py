GROUPED = list(dict.fromkeys(column for by in PLAN["groupings"] for column in by))  # as the statement segments orders them
MOST_NAMED, MOST_SHOWN, MOST_SEGMENTS = 5, 120, 10_000


def escaped(text):
    """No two segments may share a text: what separates values, or would not print, is written as %XX."""
    return "".join(c if c.isprintable() and c not in "=,%" else "".join("%%%02X" % b for b in c.encode("utf-8", "surrogatepass")) for c in text)


def segment_name(by, values):
    """The text of one segment: origin=LGA,carrier=UA. It is a key of the audit log."""
    value = lambda v: "NULL" if v is None else "%4EULL" if escaped(v) == "NULL" else escaped(v)
    return ",".join("%s=%s" % (escaped(column), value(values["by_" + column])) for column in by)


def grouping_name(by):
    return ",".join(map(escaped, by))


def lacks_value(segment):
    return segment.endswith("=NULL") or "=NULL," in segment


def count_segments(run):
    """This run's rows by the columns of the rules by segment. The verdicts say which of them are dirt."""
    results = perform(run, "judge_segments")
    by_id = {sum(1 << i for i, c in enumerate(reversed(GROUPED)) if c not in by): by for by in PLAN["groupings"]}
    groups = run.facts["segments"] = {grouping_name(by): {"count": 0, "segments": []} for by in PLAN["groupings"]}
    for row in results["segments"]:
        by = by_id[row["grouping"]]
        group = groups[grouping_name(by)]
        group["count"] = row["segments"]
        group["segments"].append((segment_name(by, row), row["rows"], row["judged_rows"], row["dirt_rows"]))


def read_usual(run):
    """The usual rows of each segment. An audit log of an older version has no column for them."""
    if run.numbers["audit_log_exists"] and "`segments`" not in run.missing_columns.get("audit_log", ""):
        run.numbers["segments_logged"] = 1
    for row in (perform(run, "guard_segments") or {}).get("guard_segments", []):
        usual = run.facts["usual"].setdefault((row["segment_by"], row["window"]), {"batches": row["baseline_batches"], "rows": {}})
        usual["rows"][row["segment"]] = row["median_rows"]


def recorded_segments(run):
    """Input rows by segment, which the audit log keeps as a later baseline: of rules over volume, and whole groupings."""
    out = {}
    for check in run.checks_of("judge"):
        group = run.facts["segments"].get(grouping_name(check.get("by", [])))
        if check["kind"] == "volumeRatio" and group and not too_many(group):
            out.update({name: rows for name, rows, _, _ in group["segments"]})
    return out or None


def too_many(group):
    """Of more segments than are counted one by one, the statement returns one."""
    return group["count"] > len(group["segments"])


def judged_too_many(check, group):
    value = "%s has %d segments, too many to judge" % (", ".join(check["by"]), group["count"])
    return judged(check, value, "at most %d segments; name columns with fewer values in by" % MOST_SEGMENTS, False)


def shown(name):
    return name if len(name) <= MOST_SHOWN else name[:MOST_SHOWN] + "…"


def listed(texts):
    return "; ".join(texts[:MOST_NAMED]) + ("; and %d more" % (len(texts) - MOST_NAMED) if len(texts) > MOST_NAMED else "")


def counted(n):
    return "1 segment" if n == 1 else "%d segments" % n


def worst_first(found):
    """(text, how bad) pairs, as the texts."""
    return [text for text, _ in sorted(found, key=lambda one: (-one[1], one[0]))]


def share_of(name, of, part, whole):
    percent = Fraction(100 * part, max(whole, 1))
    return "%s: %s %%%s (%d of %d)" % (name, two_digits(percent), of, part, whole), percent


def judge_ceiling_by(check, run):
    """The rejects of each segment. Where a column is required, a row without its value is a reject for that very reason:
    the segments of rejects alone that lack a value are one share of the whole batch."""
    group = run.facts["segments"][grouping_name(check["by"])]
    if too_many(group):
        return judged_too_many(check, group)
    without = [(name, dirt) for name, _, rows, dirt in group["segments"] if rows > 0 and dirt == rows and lacks_value(name)]
    shares = [share_of(shown(name), "", dirt, rows) for name, _, rows, dirt in group["segments"] if rows > 0 and (name, dirt) not in without]
    if without:
        name = shown(without[0][0]) if len(without) == 1 else counted(len(without)) + " without a value"
        shares.append(share_of(name, " of the batch", sum(dirt for _, dirt in without), dirt_and_judged(run)[1]))
    over = [one for one in shares if one[1] > exact(check["bounds"][0])]
    value = counted(len(group["segments"]))
    if over:
        value = listed(worst_first(over))
    elif any(percent > 0 for _, percent in shares):
        value += ", the worst " + worst_first(shares)[0]
    return judged(check, value, "at most %s %% of each segment" % check["bounds"][0], not over)


def judge_volume_by(check, run):
    """The input rows of each segment against its usual ones. A segment that is missing from the batch has none of them."""
    by = grouping_name(check["by"])
    group, usual = run.facts["segments"][by], run.facts["usual"].get((by, check.get("window", 0)), {"batches": 0, "rows": {}})
    if not usual["batches"] and not too_many(group):
        return judged(check, str(run.rows["input"]), "no earlier published batch that counted rows by " + ", ".join(check["by"]), True, "skipped")
    if too_many(group):
        return judged_too_many(check, group)
    rows, (least, most) = {name: n for name, n, _, _ in group["segments"]}, map(exact, check["bounds"])
    broken, number = [], 0
    for name, median in usual["rows"].items():
        if median < check.get("atLeast", 0):
            continue
        number, n, middle = number + 1, rows.get(name, 0), Fraction(median)
        if n < least * middle and not lacks_value(name) or n > most * middle:
            broken.append(("%s: %d rows, usual %s" % (shown(name), n, plain(median)), abs(n - middle)))
    value = listed(worst_first(broken)) if broken else "%s, %d judged" % (counted(len(group["segments"])), number)
    bound = "%s to %s times the usual rows of each segment in %d batches" % (*check["bounds"], usual["batches"])
    return judged(check, value, bound, not broken)


def note_segments(check, run):
    """Segments without a usual number of rows pass, and nothing else would show them."""
    by = grouping_name(check["by"])
    usual = run.facts["usual"].get((by, check.get("window", 0)))
    if not usual:
        return
    fresh = [(name, rows) for name, rows, _, _ in run.facts["segments"][by]["segments"]
             if name not in usual["rows"] and rows >= check.get("atLeast", 0) and not lacks_value(name)]
    if fresh:
        texts = ["%s (%d rows)" % (shown(name), rows) for name, rows in sorted(fresh, key=lambda one: (-one[1], one[0]))]
        run.note("rule %s: no usual number of rows yet for %s" % (check["rule"], listed(texts)))
