"""What sluice_job does in one session of a job: spark-submit session.py BUNDLE DATA REPORTS."""
import contextlib
import glob
import json
import os
import shutil
import sys
import tempfile
import time

bundle, data, reports = sys.argv[1:]
sys.path.insert(0, bundle)
import sluice_job  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

spark = SparkSession.builder.getOrCreate()
spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")  # a session of somebody: nothing of it may change
spark.range(3).createOrReplaceTempView("mine")


def settings():
    application = spark.sparkContext._jsc.sc().conf().getAll()
    return {**{"app:" + kv._1(): kv._2() for kv in application}, **{row.key: row.value for row in spark.sql("SET").collect()}}


def listening():
    """On what this driver listens, {port: address}, of the kernel's tables: its JVM started this process."""
    mine = set()
    for fd in glob.glob("/proc/%d/fd/*" % os.getppid()):
        with contextlib.suppress(OSError):  # closed meanwhile
            mine.add(os.readlink(fd))
    found = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for fields in (line.split() for line in open(table).read().splitlines()[1:]):
            address, port = fields[1].split(":")
            if fields[3] == "0A" and "socket:[%s]" % fields[9] in mine:
                found[int(port, 16)] = address
    return found


def refused(code, text, args):
    try:
        sluice_job.run(args)
    except sluice_job.SluiceError as e:
        assert e.code == code and text in str(e), "%s: code %d, %s; want %d, %s" % (args, e.code, e, code, text)
        return e
    raise AssertionError("%s was not refused" % args)


spark.sql("CREATE SCHEMA silver")  # lookups as somebody else made them
for name in ("airlines", "planes"):
    spark.read.csv("file://%s/%s.csv.gz" % (data, name), header=True).write.format("delta").saveAsTable("silver." + name)
before, ports = settings(), set(listening())

# Connect is on loopback alone, asks for a token where it can, and is gone behind the block.
with sluice_job._connect(spark) as (remote, token):
    port = int(remote.rsplit(":", 1)[1])
    address = listening()[port]
    assert address in ("0100007F", "0000000000000000FFFF00000100007F"), "port %d listens on %s" % (port, address)
    assert bool(token) == (not spark.version.startswith("3.")), token
    assert settings() == before, "settings changed while Connect runs"
assert port not in listening(), "port %d is still open" % port

# The days of a feed.
os.environ["FEED"] = "flights_2013-01"
landed = sluice_job.run(["land", "flights.odcs.yaml", data + "/${FEED}-01.csv.gz", "--batch", "2013-01-01", "--json"])
assert landed["rows"] == 842, landed
spark.conf.set("sluice.test.batch", "2013-01-16")
assert sluice_job.run(["land", "flights.odcs.yaml", "file://" + data + "/flights_2013-01-16.csv.gz", "--batch", "${sluice.test.batch}"]) is None
spark.conf.unset("sluice.test.batch")
sources = {row[0] for row in spark.sql("SELECT DISTINCT _source_file FROM bronze.flights").collect()}
assert sources == {data + "/flights_2013-01-01.csv.gz", "file" + data + "/flights_2013-01-16.csv.gz"}, sources

# Two runs in this session, of a day that was never landed. Both tell why, and leave a report.
failed = refused(4, "empty_batch", ["run", "flights.odcs.yaml", "--batch", "none", "--report", "file://" + reports + "/"])
kept = [name for name in os.listdir(reports) if not name.endswith(".crc")]  # Hadoop writes sums beside local files
assert kept == ["silver.flights_none_%s.json" % failed.report["run"]], kept
assert json.load(open(os.path.join(reports, kept[0]), encoding="utf-8")) == failed.report
again = refused(4, "empty_batch", ["run", "flights.odcs.yaml", "--batch", "none", "--quiet", "--report", reports + "/fixed.json"])
assert json.load(open(reports + "/fixed.json", encoding="utf-8"))["run"] == again.report["run"] != failed.report["run"]

# What a person would get wrong.
refused(2, "neither a variable of the driver nor a setting of Spark", ["run", "flights.odcs.yaml", "--batch", "${NO_SUCH}"])
refused(2, "--remote has no meaning here", ["run", "flights.odcs.yaml", "--batch", "b", "--remote", "sc://elsewhere"])
refused(2, "unknown flag --bath", ["run", "flights.odcs.yaml", "--bath", "b"])
refused(2, "fetching file:///no/such", ["run", "file:///no/such.odcs.yaml", "--batch", "b"])
refused(2, "making the folder of --report nosuch://x/", ["run", "flights.odcs.yaml", "--batch", "b", "--report", "nosuch://x/"])
refused(2, "is neither a folder nor an archive", ["--contracts", __file__, "lint"])

# The binary: missing, for another processor, no program, without its mode, in an archive's folder, by URI.
binary = [f for f in os.listdir(bundle) if f.startswith("sluice-linux-")][0]
other = {"sluice-linux-amd64": ("arm64", 183), "sluice-linux-arm64": ("amd64", 62)}[binary]
with tempfile.TemporaryDirectory() as folder:
    refused(2, "no sluice binary in " + folder, ["--sluice-binary", folder, "version"])
    with open(os.path.join(folder, "sluice"), "wb") as f:
        f.write(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00" + other[1].to_bytes(2, "little") + bytes(44))
    refused(2, "sluice is for %s, but this driver is" % other[0], ["--sluice-binary", folder, "version"])
    with open(os.path.join(folder, "sluice"), "w") as f:
        f.write("no program")
    refused(2, "it is no program for this machine", ["--sluice-binary", folder, "version"])
    os.remove(os.path.join(folder, "sluice"))
    os.mkdir(os.path.join(folder, "unpacked"))
    plain = os.path.join(folder, "unpacked", binary)
    shutil.copyfile(os.path.join(bundle, binary), plain)
    assert not os.access(plain, os.X_OK)
    for name in (folder, plain, "file://" + folder + "/unpacked", "file://" + plain):
        sluice_job.run(["--sluice-binary", name, "version"])
    assert not os.access(plain, os.X_OK), "the mode of a file that is not ours was changed"

# Contracts: a folder by URI, an archive, an archive of the folder. Lint reads them all.
with tempfile.TemporaryDirectory() as folder:
    shutil.make_archive(os.path.join(folder, "outer"), "gztar", bundle, "contracts")
    for name in ("file://" + bundle + "/contracts", bundle + "/contracts.zip", "file://" + folder + "/outer.tar.gz"):
        assert sluice_job.run(["--contracts=" + name, "lint", "contracts/flights.odcs.yaml", "--json"]) == [], name

after = settings()
assert after == before, {k: (before.get(k), after.get(k)) for k in set(before) | set(after) if before.get(k) != after.get(k)}
assert spark.table("mine").count() == 3
for _ in range(50):  # pyspark opens a port for a moment to fetch rows
    left = {port: address for port, address in listening().items() if port not in ports}
    if not left:
        break
    time.sleep(0.1)
assert not left, "left open: %s" % left
print("SESSION HOLDS")
