def judged(check, value, bound, ok, result=None):
    """The verdict of a check, as the audit log keeps it."""
    out = {"code": check["code"], "rule": check["rule"]} if check.get("rule") else {"code": check["code"]}
    verdict = "passed" if ok else "warned" if check["severity"] == "warning" else "failed"
    return {**out, "result": result or verdict, "value": value, "bound": bound, "severity": check["severity"],
            "dimension": check.get("dimension", ""), "owner": check.get("owner", "")}


def judge_check(check, run):
    """Judges one check by what the statements counted. It asks nothing."""
    return JUDGES[check["kind"]](check, run)


def exact(text):
    """A number, None for any other text. Fraction itself also takes blanks around one, and the digits of other scripts."""
    if text is None or re.search(r"\s|[^\x00-\x7f]", text):
        return None
    try:
        return Fraction(text)
    except (ValueError, TypeError, ZeroDivisionError):
        return None


def compare(op, value, bounds):
    """An ODCS operator over decimal text, exactly. Both between operators include their bounds."""
    number, limits = exact(value), [exact(b) for b in bounds]
    if not bounds or number is None or None in limits:
        return len(bounds) == 1 and (op == "mustBe" and value == bounds[0] or op == "mustNotBe" and value != bounds[0])
    first, last = limits[0], limits[-1]
    return {
        "mustBe": number == first, "mustNotBe": number != first,
        "mustBeGreaterThan": number > first, "mustBeGreaterOrEqualTo": number >= first,
        "mustBeLessThan": number < first, "mustBeLessOrEqualTo": number <= first,
        "mustBeBetween": first <= number <= last, "mustNotBeBetween": number < first or number > last,
    }[op]


WORDS = {
    "mustBe": "= ", "mustNotBe": "not ", "mustBeGreaterThan": "> ", "mustBeGreaterOrEqualTo": ">= ", "mustBeLessThan": "< ",
    "mustBeLessOrEqualTo": "<= ", "mustBeBetween": "between ", "mustNotBeBetween": "not between ",
}


def bound_text(check):
    return WORDS[check["op"]] + " and ".join(check["bounds"])


def two_digits(number):
    """A fraction with two digits, halves away from zero."""
    hundredths = (200 * abs(number.numerator) + number.denominator) // (2 * number.denominator)
    return "%s%d.%02d" % ("-" if number < 0 else "", hundredths // 100, hundredths % 100)


def plain(number):
    """A double without an exponent or idle digits."""
    text = format(Decimal(repr(float(number))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def found(run, check):
    """What a statement gave: its only cell, or one of its columns. None for NULL and for no row."""
    return run.facts["values"].get((check["statement"], check.get("column") or None))


def judge_rows(check, run):
    rows = str(run.rows["input"])
    return judged(check, rows, bound_text(check), compare(check["op"], rows, check["bounds"]))


def judge_value(check, run):
    value = found(run, check)
    ok = value is not None and compare(check["op"], value, check["bounds"])
    return judged(check, "NULL" if value is None else value, bound_text(check), ok)


def judge_share(check, run):
    """100 * counted / all rows, exactly: a rounded percentage could meet a bound that the rows do not."""
    counted, rows = found(run, check), run.facts["values"].get((check["statement"], "rows"))
    if exact(counted) is None or exact(rows) is None:
        return judged(check, "NULL", bound_text(check) + " %", False)
    percent = 100 * exact(counted) / exact(rows) if exact(rows) > 0 else Fraction(0)
    value = "%s %% (%s of %s)" % (two_digits(percent), counted, rows)
    return judged(check, value, bound_text(check) + " %", compare(check["op"], str(percent), check["bounds"]))


def spelled(seconds):
    """Seconds as 72h0m0s."""
    if not re.fullmatch(r"[+-]?[0-9]+", seconds):
        return seconds
    minutes, rest = divmod(abs(int(seconds)), 60)
    text = "%ds" % rest
    if minutes:
        text = "%dm%s" % (minutes % 60, text)
    if minutes >= 60:
        text = "%dh%s" % (minutes // 60, text)
    return "-" + text if int(seconds) < 0 else text


def judge_age(check, run):
    seconds, bound = found(run, check), "at most " + spelled(check["bounds"][0])
    if seconds is None:
        return judged(check, "no value in the table", bound, False)
    return judged(check, spelled(seconds), bound, compare(check["op"], seconds, check["bounds"]))


def dirt_and_judged(run):
    """Rejects of the feed's fault, and the rows that could have been such: redeliveries count on neither side."""
    dirt = sum(n for code, n in run.reasons.items() if code not in PLAN["notDirt"])
    return dirt, run.rows["input"] - sum(n for code, n in run.reasons.items() if code in PLAN["notDirt"])


def judge_ceiling(check, run):
    if check.get("by"):
        return judge_ceiling_by(check, run)
    dirt, rows = dirt_and_judged(run)
    bound = "at most %s %%" % check["bounds"][0]
    if rows <= 0:
        return judged(check, "0 of 0 rows", bound, True)
    percent = Fraction(100 * dirt, rows)
    return judged(check, "%s %% (%d of %d)" % (two_digits(percent), dirt, rows), bound, percent <= exact(check["bounds"][0]))


def judge_volume(check, run):
    if check.get("by"):
        return judge_volume_by(check, run)
    rows, batches = run.rows["input"], run.facts["batches"]
    if not batches:
        return judged(check, str(rows), "no earlier published batch", True, "skipped")
    median, (least, most) = Fraction(run.facts["median"]), map(exact, check["bounds"])
    bound = "%s to %s times the median %s of %d batches" % (*check["bounds"], plain(run.facts["median"]), batches)
    value = "%d rows" % rows if median <= 0 else "%s (%d rows)" % (two_digits(Fraction(rows) / median), rows)
    return judged(check, value, bound, least * median <= rows <= most * median)


def rows_like(n, example):
    return "%d rows, for example %s" % (n, json.dumps(example, ensure_ascii=False)) if n and example else "%d rows" % n


def judge_lookup(check, run):
    found = run.facts["lookups"].get(check["statement"], {})
    unknown_rows = found.get("unknown_rows", 0)
    return judged(check, rows_like(unknown_rows, found.get("unknown_example")), "0 rows", not unknown_rows)


def judge_lookup_once(check, run):
    found = run.facts["lookups"].get(check["statement"], {})
    twice = found.get("ambiguous_rows", 0)
    return judged(check, rows_like(twice, found.get("ambiguous_example")), "0 rows", not twice)


def judge_reason(check, run):
    rows = run.reasons.get(check["op"], 0)
    return judged(check, "%d rows" % rows, "0 rows of " + check["op"], not rows)


def judge_fact(check, run):
    """What the run decided from several numbers: value, bound, ok, and why it may pass all the same."""
    decided = run.facts["decided"]
    value, bound, ok, way = decided.get(check["rule"]) or decided.get(check["statement"]) or ("", "", False, None)
    return judged(check, value, bound, ok, way if way == "skipped" or not ok else None)


JUDGES = {
    "rowCount": judge_rows, "rejectRatio": judge_ceiling, "volumeRatio": judge_volume, "value": judge_value, "share": judge_share,
    "age": judge_age, "lookup": judge_lookup, "lookupOnce": judge_lookup_once, "reason": judge_reason, "fact": judge_fact,
    "key": lambda check, run: judged(check, "0", "0", True),  # settle proved it: a key that is there twice has a verdict
}


def asked(owner):
    return "; ask " + owner if owner else ""


def judge_steps(run, *names):
    """Judges the checks of steps, all of them, so that one message names all that is wrong. Returns whether the
    accepted rows are kept as evidence: after a refusal by volume or an audit, not after one by the ceiling."""
    keep = ceiling = False
    for check in run.checks_of(*names):
        one = judge_check(check, run)
        run.checks.append(one)
        if check["kind"] == "volumeRatio" and check.get("by"):
            note_segments(check, run)
        if one["result"] == "failed":
            text = "%s: rule %s: %s, allowed is %s%s"
            run.refuse(text % (check["code"], check["rule"], one["value"], one["bound"], asked(one["owner"])))
            ceiling, keep = ceiling or check["kind"] == "rejectRatio", keep or check["kind"] != "rejectRatio"
        elif one["result"] == "warned" and check["kind"] == "lookup":
            name = check["statement"][len("lookup_"):]
            run.warn("unknown_" + name, run.facts["lookups"][check["statement"]]["unknown_rows"])
        elif one["result"] == "warned":
            run.warn(check["rule"])
            run.note("warning: rule %s: %s, expected %s" % (check["rule"], one["value"], one["bound"]))
    return keep and not ceiling
