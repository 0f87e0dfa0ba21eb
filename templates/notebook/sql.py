class Name(str):
    """A text that stands in SQL as a quoted name."""


class Columns(str):
    """Column definitions that stand in SQL as they are."""


def literal(value):
    """A value as SQL text, for statements that take no args: DDL, CALL, VERSION AS OF, typed literals."""
    if value is None:
        return "NULL"
    if isinstance(value, (bool, int)):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(map(literal, value or [""]))
    if isinstance(value, Columns):
        return value
    if isinstance(value, Name):
        return "`" + value.replace("`", "``") + "`"
    return "'" + "".join(map(escaped_character, value)).replace("${", "$\\{") + "'"


def escaped_character(c):
    """What would end a literal, break a line or not be seen is written as an escape."""
    if c in "\\'\n\r\t":
        return {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}[c]
    unseen = c != " " and ord(c) < 0x10000 and unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs")
    return "\\u%04X" % ord(c) if unseen else c


# A marker is none inside of a comment, a literal or a quoted name.
TOKEN = re.compile(
    r"--[^\n]*|/\*.*?\*/|\b[rR](?:'[^']*'|\"[^\"]*\")|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`|::|:([A-Za-z_]\w*)",
    re.DOTALL)


def error_class(error):
    """The class that Spark gives to an error, such as TABLE_OR_VIEW_NOT_FOUND; "" for any other error."""
    for method in ("getCondition", "getErrorClass"):
        try:
            found = getattr(error, method)()
        except Exception:  # not there, or the JVM is gone
            continue
        if found:
            return found
    found = re.search(r"(?:^\s*|[:)]\s)\[([A-Z][A-Z0-9_]*(?:\.[A-Z][A-Z0-9_]*)*)\]\s", str(error))
    return found.group(1) if found else ""


# What Spark says of statements whose commit may be there all the same: it came before something else failed, or was interrupted.
UNDECIDED = re.compile(r"OPERATION_CANCELED|SPARK_JOB_CANCELLED|DELTA_POST_COMMIT_HOOK_FAILED|INVALID_HANDLE\.OPERATION_\w+")


def unknown(error):
    """Whether an error leaves open if its statement took effect: nothing that the server itself said, or that it is undecided.
    The client of Spark Connect has classes of its own, such as RETRIES_EXCEEDED behind a broken connection."""
    names, code = {kind.__name__ for kind in type(error).__mro__}, error_class(error)
    client = "PySparkException" in names and not names & {"CapturedException", "SparkConnectException"}
    if client or UNDECIDED.fullmatch(code) or "CommitStateUnknown" in str(error):
        return True
    return not (code or names & {"CapturedException", "Py4JJavaError", "AnalysisException"})


def takes_args():
    """Whether this session fills markers. Spark does since 3.4; on 4.1 not beside the SQL extensions of Delta and Iceberg,
    whose parsers do not hand them on (measured: UNBOUND_SQL_PARAMETER). It asks once."""
    global TAKES_ARGS
    if TAKES_ARGS is None:
        try:
            TAKES_ARGS = spark.sql("SELECT :probe AS probe", args={"probe": 1}).first()[0] == 1
        except Exception:
            TAKES_ARGS = False
    return TAKES_ARGS


TAKES_ARGS = None
PLACE = None  # fixtures put statements into schemas of their own
