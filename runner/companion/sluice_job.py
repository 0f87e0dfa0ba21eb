"""Runs sluice inside a Spark job: starts Spark Connect in the job's own driver, on loopback, and
the sluice binary beside it. It needs pyspark and nothing else.

As the main file of a job, which ends with the binary's exit code (0 published, 2 usage, 3 failed
and nothing published, 4 refused, 5 a person must look):

    spark-submit sluice_job.py run orders.odcs.yaml --batch 2026-03-20

In a notebook, imported or pasted into a cell:

    report = sluice_job.run(["run", "orders.odcs.yaml", "--batch", "2026-03-20"])

Beside sluice's own arguments it takes these. A PATH, and any file among the arguments, may be a
URI that Spark reads:

    --contracts PATH      folder or archive (.zip, .tar.gz) of contracts; else SLUICE_CONTRACTS, else
                          contracts or contracts.zip beside this file or among the job's files
    --sluice-binary PATH  the binary or its folder; else SLUICE_BINARY, else sluice-linux-amd64,
                          sluice-linux-arm64 or sluice in those places
    --report PATH         the report of run as JSON; a PATH that ends in / gets a file for each run
    ${NAME}               in any argument: a variable of the driver, else a setting of Spark
"""

__version__ = "devel"

import contextlib
import glob
import json
import os
import platform
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

MEANING = {1: "a check found something", 2: "usage, or a file that cannot be read", 3: "failed, nothing published",
           4: "the batch is refused", 5: "outcome unknown or not recorded: a person must look", 130: "interrupted"}

ONE_AT_A_TIME = threading.Lock()  # a driver has one Spark Connect


class SluiceError(RuntimeError):
    """A command that did not end with 0: its code, its failures and, of run, its report."""

    def __init__(self, code, failures, report=None):
        meaning = MEANING.get(code, "killed by signal %d" % -code if code < 0 else "unexpected")
        super().__init__("sluice ended with %d (%s): %s" % (code, meaning, "; ".join(failures)))
        self.code, self.failures, self.report = code, failures, report


def run(args, spark=None):
    """Runs one command of sluice. Returns the report of run as a dict, and of other commands what
    --json printed. Raises SluiceError if it does not end with 0."""
    if spark is None:
        from pyspark.sql import SparkSession
        spark = SparkSession.builder.getOrCreate()
    if getattr(spark, "_jvm", None) is None:
        raise SluiceError(3, ["this session is itself a client of Spark Connect, without a driver to work beside; run "
                              "the binary by itself, with that server's address in SPARK_REMOTE"])
    args, own = _own_options([_expanded(spark, a) for a in args])
    if "--report" in own and args[:1] != ["run"]:
        raise SluiceError(2, ["--report is for run alone"])
    with tempfile.TemporaryDirectory(prefix="sluice-") as work:
        binary, version = _executable(_find_binary(spark, own.get("--sluice-binary"), work), work)
        args = _with_files(spark, args, own.get("--contracts"), work)
        deliver = _delivery(spark, own.get("--report"))
        with ONE_AT_A_TIME, _connect(spark) as (remote, token):
            _say("%s: Spark %s, sluice %s, Spark Connect on %s" % (__version__, spark.version, version, remote))
            env = dict(os.environ, SPARK_REMOTE=remote, SLUICE_TOKEN=token)
            if args[:1] != ["run"]:
                code, out, err = _execute([binary] + args, env, work)
                report, failures = _json("".join(out)) if "--json" in args else None, err[-1:]
            else:
                result = os.path.join(work, "report.json")
                code, _, err = _execute([binary] + args + ["--report", result], env, work)
                report = _json(open(result, encoding="utf-8").read()) if os.path.exists(result) else None
                failures = (report or {}).get("failures") or err[-1:]
        if deliver and report:
            try:
                deliver(report)
            except Exception as e:  # a published batch must not look like a failed one, whatever is thrown
                code, failures = code or 5, failures + ["writing the report to %s: %s" % (own["--report"], _brief(e))]
        if code:
            raise SluiceError(code, [f.strip() for f in failures], report)
        return report


def main(args):
    """Runs a command as a job does, and exits with its code. A session that was there before stays."""
    from pyspark import SparkContext
    ours, code = SparkContext._active_spark_context is None, 0
    try:
        run(args)
    except SluiceError as e:
        _say(str(e))
        code = e.code if e.code > 0 else 5  # a killed binary does not tell what it had done
    if ours and SparkContext._active_spark_context is not None:
        with contextlib.suppress(Exception):  # the JVM may be gone
            SparkContext._active_spark_context.stop()
    if code:
        sys.exit(code)


@contextlib.contextmanager
def _connect(spark):
    """Spark Connect in this driver while the binary runs: its address, and its token if it takes one."""
    jvm, package = spark._jvm, spark._jvm.org.apache.spark.sql.connect.service
    try:
        if type(package.SparkConnectService).__name__ == "JavaPackage":
            scala = ".".join(jvm.scala.util.Properties.versionNumberString().split(".")[:2])
            raise SluiceError(3, [
                "this Spark has no Spark Connect; add its package to the job: --packages "
                "org.apache.spark:spark-connect_%s:%s (setting spark.jars.packages)"
                % (scala, re.match(r"[\d.]*\d", spark.version).group())])
        module = getattr(getattr(package, "SparkConnectService$"), "MODULE$")
        conf = jvm.org.apache.spark.SparkEnv.get().conf()
        there = module.server() is not None and not module.server().isShutdown()  # the platform's own stays
        token = _value(conf, "spark.connect.authenticate.token") or "" if there else _start(spark, package, module, conf)
        port = module.server().getPort()
    except SluiceError:
        raise
    except Exception as e:  # of any kind that a platform gives to what it forbids
        raise SluiceError(3, ["starting Spark Connect in this driver: %s" % _brief(e)]) from e
    try:
        _await_answer(port)
        yield "sc://127.0.0.1:%d" % port, token
    finally:
        try:
            if not there:
                none = jvm.scala.Option.empty()
                package.SparkConnectService.stop(none, none)
        except Exception as e:
            _say("Spark Connect could not be stopped; it ends with the driver: %s" % _brief(e))


def _start(spark, package, module, conf):
    """Starts Connect on a free port of this machine alone, and returns the token that it asks for."""
    context = spark.sparkContext._jsc.sc()
    if not spark.version.startswith("3."):
        token = secrets.token_hex(32)
        with _settings(conf, {"spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": "0",
                              "spark.connect.authenticate.token": token}):
            package.SparkConnectService.start(context)
        return token
    try:  # Spark 3.5 has no setting for the address, but its server can be built as its start does it
        address = spark._jvm.java.net.InetSocketAddress("127.0.0.1", 0)
        builder = spark._jvm.org.sparkproject.connect.grpc.netty.NettyServerBuilder.forAddress(address)
        builder.maxInboundMessageSize(128 << 20)
        builder.addService(package.SparkConnectService(False))
        getattr(module, "server_$eq")(builder.build().start())
    except Exception as e:  # a vendor's build may differ
        _say("Spark Connect cannot be bound to this machine alone (%s): it listens on EVERY network interface of "
             "the driver until the binary ends" % _brief(e))
        with _settings(conf, {"spark.connect.grpc.binding.port": "0"}):
            package.SparkConnectService.start(context)
    return ""


@contextlib.contextmanager
def _settings(conf, wanted):
    """Settings of the application while Connect starts, which alone reads them."""
    before = {key: _value(conf, key) for key in wanted}
    try:
        for key, value in wanted.items():
            conf.set(key, value)
        yield
    finally:
        for key, value in before.items():
            conf.remove(key) if value is None else conf.set(key, value)


def _value(conf, key):
    return conf.get(key) if conf.contains(key) else None


def _await_answer(port, limit=30):
    """Returns once an HTTP/2 server, which gRPC is, greets with its SETTINGS frame."""
    deadline = time.time() + limit
    while time.time() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=2) as s:
            s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
            if s.recv(9)[3:4] == b"\x04":
                return
        time.sleep(0.1)
    raise SluiceError(3, ["Spark Connect did not answer on port %d within %d s; see the driver's log" % (port, limit)])


def _execute(command, env, folder):
    """Runs the binary to its end. Its lines go to the driver's output, signals go to it."""
    child, early, out, err = None, [], [], []

    def pass_on(number, _):
        child.send_signal(number) if child else early.append(number)

    own_signals = (signal.SIGTERM, signal.SIGINT) if threading.current_thread() is threading.main_thread() else ()
    before = {number: signal.signal(number, pass_on) for number in own_signals}
    try:
        # In a process group of its own, or Ctrl-C would reach it twice, and a second signal kills it.
        child = subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, start_new_session=True, encoding="utf-8", errors="replace")
        for number in early:
            child.send_signal(number)
        pumps = [threading.Thread(target=_pump, args=a, daemon=True)
                 for a in ((child.stdout, sys.stdout, out), (child.stderr, sys.stderr, err))]
        for pump in pumps:
            pump.start()
        child.wait()
        for pump in pumps:
            pump.join()
        return child.returncode, out, err
    finally:
        if child and child.poll() is None:
            child.terminate()
        for number, handler in before.items():
            signal.signal(number, handler)


def _pump(source, target, kept):
    for line in source:
        kept.append(line)
        with contextlib.suppress(OSError):  # whoever read the log may be gone; the binary goes on
            print(line, end="", file=target, flush=True)


def _expanded(spark, arg):
    """Takes ${NAME} from the environment, where schedulers put the date of a run, or from Spark's settings."""
    def value(match):
        found = os.environ.get(match.group(1)) or spark.conf.get(match.group(1), None)
        if not found:
            raise SluiceError(2, ["argument %s: %s is neither a variable of the driver nor a setting of Spark"
                                  % (arg, match.group(1))])
        return found
    return re.sub(r"\$\{([A-Za-z_][\w.-]*)\}", value, arg)


def _own_options(args):
    rest, own, args = [], {}, list(args)
    while args:
        name, equals, value = args.pop(0).partition("=")
        if name in ("--remote", "--spark"):
            raise SluiceError(2, ["%s has no meaning here: Spark is the one of this job" % name])
        if name not in ("--contracts", "--sluice-binary", "--report"):
            rest.append(name + equals + value)
        elif equals or args:
            own[name] = value if equals else args.pop(0)
        else:
            raise SluiceError(2, ["%s needs a path" % name])
    return rest, own


def _places():
    """Where files of a job are: beside this file, in the working folder (YARN), where Spark puts --files."""
    from pyspark import SparkFiles
    beside = [os.path.dirname(os.path.abspath(__file__))] if "__file__" in globals() else []
    return list(dict.fromkeys(beside + [os.getcwd(), SparkFiles.getRootDirectory()]))


def _find_binary(spark, given, work):
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    names = ["sluice-linux-" + arch, "sluice", "sluice-linux-amd64", "sluice-linux-arm64"]
    given = given or os.environ.get("SLUICE_BINARY")
    if given:
        given = _fetched(spark, given, os.path.join(work, "binary"), inside=names[0])
    places = [given] if given else _places()
    found = [p for p in places if os.path.isfile(p)]
    found += [f for p in places for below in ("", "*") for n in names  # an archive is unpacked into a folder
              for f in sorted(glob.glob(os.path.join(glob.escape(p), below, n))) if os.path.isfile(f)]
    if not found:
        raise SluiceError(2, ["no sluice binary in %s; put %s there, or name it with --sluice-binary (sluice companion "
                              "--bundle lays it out)" % (", ".join(places), names[0])])
    for path in found:
        if _machine(path) in (arch, None):
            return path
    raise SluiceError(2, ["%s is for %s, but this driver is %s; add %s" % (found[0], _machine(found[0]), arch, names[0])])


def _machine(path):
    """The processor that a program for Linux is for, from its ELF header."""
    with open(path, "rb") as f:
        head = f.read(20)
    code = int.from_bytes(head[18:20], "little")
    return {62: "amd64", 183: "arm64"}.get(code, "processor %d" % code) if head[:4] == b"\x7fELF" else None


def _executable(path, work):
    """The binary as it can be started, and its version: uploads lose the mode, some mounts execute nothing."""
    copy = os.path.join(work, "sluice")
    for candidate in (path, copy):
        if candidate == copy:
            shutil.copyfile(path, copy)
            os.chmod(copy, 0o755)
        try:
            done = subprocess.run([os.path.abspath(candidate), "version"], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        except PermissionError:
            continue
        except OSError as e:
            raise SluiceError(2, ["starting %s: %s; it is no program for this machine" % (path, e.strerror)]) from e
        if done.returncode or not done.stdout.startswith(b"sluice version "):
            raise SluiceError(2, ["%s is no sluice binary: it says %r" % (path, done.stdout[-200:])])
        return os.path.abspath(candidate), done.stdout.decode().split()[-1]
    raise SluiceError(2, ["neither %s nor its copy in %s may be executed; set TMPDIR to a folder that allows it"
                          % (path, work)])


def _with_files(spark, args, given, work):
    """The arguments as the binary finds them from its working folder: contracts lie in contracts/ there,
    what is named by a URI is fetched, and files of the job get their full path."""
    folder = os.path.join(work, "contracts")
    given = given or os.environ.get("SLUICE_CONTRACTS") or next(
        (p for d in _places() for p in (os.path.join(d, "contracts"), os.path.join(d, "contracts.zip")) if os.path.exists(p)),
        None)
    if given:
        _lay_out(_fetched(spark, given, os.path.join(work, "fetched")), folder)

    def placed(arg, before):
        if before == "--batch" or arg.startswith("-"):
            return arg
        if _is_uri(arg):  # landed rows name it as their source, so that its folders stay
            into = os.path.join(work, os.path.dirname(re.sub(r":/+", "/", arg)))
            return os.path.relpath(_fetched(spark, arg, into), work)
        if os.path.isfile(arg):
            return os.path.abspath(arg)
        return "contracts/" + arg if os.path.isfile(os.path.join(folder, arg)) else arg
    return [placed(arg, before) for arg, before in zip(args, [""] + args)]


def _lay_out(path, folder):
    if os.path.isdir(path):
        os.symlink(os.path.abspath(path), folder)
        return
    try:
        shutil.unpack_archive(path, folder)
        if os.listdir(folder) == ["contracts"]:  # of the folder, not of what is in it
            os.rename(folder, folder + ".outer")
            os.rename(os.path.join(folder + ".outer", "contracts"), folder)
    except (OSError, ValueError) as e:  # ReadError is an OSError
        raise SluiceError(2, ["--contracts %s is neither a folder nor an archive (.zip, .tar.gz): %s" % (path, e)]) from e


def _hadoop(spark, uri):
    path = spark._jvm.org.apache.hadoop.fs.Path(uri)
    return path, path.getFileSystem(spark._jsc.hadoopConfiguration())


def _is_uri(text):
    return re.match(r"[A-Za-z][\w+.-]+://", text) is not None


def _fetched(spark, uri, folder, inside=None):
    """The local path of a file or folder, or of one file inside of a folder. Spark copies what is named by a URI."""
    if not _is_uri(uri):
        return uri
    target = os.path.join(folder, os.path.basename(uri.rstrip("/")))
    try:
        os.makedirs(folder, exist_ok=True)
        path, system = _hadoop(spark, uri)
        if inside and system.getFileStatus(path).isDirectory():
            target, path = os.path.join(folder, inside), spark._jvm.org.apache.hadoop.fs.Path(path, inside)
        system.copyToLocalFile(False, path, spark._jvm.org.apache.hadoop.fs.Path("file://" + target), True)
    except Exception as e:
        raise SluiceError(2, ["fetching %s: %s" % (uri, _brief(e))]) from e
    return target


def _delivery(spark, target):
    """What writes a report to its place. The folder is made before the run: a wrong path shall cost nothing."""
    if not target:
        return None
    folder, name = os.path.split(target if _is_uri(target) else os.path.join(os.getcwd(), target))
    try:
        if _is_uri(target):
            path, system = _hadoop(spark, folder)
            system.mkdirs(path)
        else:
            os.makedirs(folder, exist_ok=True)
    except Exception as e:
        raise SluiceError(2, ["making the folder of --report %s: %s" % (target, _brief(e))]) from e

    def deliver(report):
        parts = [report["table"], report["batch"], report.get("run") or "not-started"]
        file = "%s/%s" % (folder, name or re.sub(r"[^\w.-]", "_", "_".join(parts)) + ".json")
        text = json.dumps(report, indent=2, ensure_ascii=False).encode("utf-8")
        if _is_uri(target):
            stream = system.create(spark._jvm.org.apache.hadoop.fs.Path(file), True)
            try:
                stream.write(bytearray(text))
            finally:
                stream.close()
        else:
            with open(file, "wb") as out:
                out.write(text)
        _say("the report is in " + file)
    return deliver


def _json(text):
    with contextlib.suppress(ValueError):
        return json.loads(text)


def _brief(error):
    """The line that tells: py4j puts one of its own before what Java threw."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [repr(error)]
    return next((line[2:] for line in lines if line.startswith(": ")), lines[0])


def _say(text):
    print("sluice_job " + text, file=sys.stderr, flush=True)


# Pasted into a cell the file only defines run: the arguments are those of the kernel.
if __name__ == "__main__":
    if "__file__" in globals() or len(sys.argv) > 1 and "kernel" not in os.path.basename(sys.argv[0]):
        main(sys.argv[1:])
