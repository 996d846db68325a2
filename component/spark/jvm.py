"""Spark's JVM, started directly: no launcher scripts, and with the settings of a process that rows never enter.

Spark's own scripts start a first JVM only to print the command of the second. Started directly, with an archive of
loaded classes, the simple compiler and the serial collector, the context is there in half the time (docs/design.md).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import re
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyspark
from pyspark.java_gateway import launch_gateway

from component.errors import RetryError, UserError
from component.spark.java import Java
from component.spark.workers import KEPT_BYTES

_NOISE: Final = re.compile(
    r"\s*(?:at |\.\.\. \d+ more|WARNING:|Using Spark's|Setting default|To adjust|\d\d/\d\d/\d\d )"
)
_EMPTY_WORDS: Final = re.compile(r"Error: (?:Could not create the Java|A fatal exception)|Error occurred during")
_START: Final = re.compile(r'(?:Exception in thread "[^"]*" )?(?:Caused by: )?(?:[a-z]\w*\.)*')
_PLAIN_KINDS: Final = re.compile(r"(?:Spark|Runtime|IllegalArgument|SparkIllegalArgument)Exception: ")
_LONGEST: Final = 300
_OPENED: Final = (
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
    "java.security.jgss/sun.security.krb5",
)
_START_SECONDS: Final = 120
_USER: Final = "tablemill"
_WORKER_MEMORY: Final = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "2"}
_KILLED_FIRST: Final = "500"
"""What the kernel adds to the score by which it chooses a process to kill when memory runs out, of 1000."""
DEFAULT_MEMORY: Final = "768m"


@dataclass(frozen=True, slots=True)
class JvmSettings:
    """What the JVM is started with. `scratch` takes its files and its output; `conf` are Spark's settings.

    `worker_keeps` are the bytes of freed memory that a Python worker holds on to.
    """

    java: Java
    scratch: Path
    conf: Mapping[str, str]
    class_archive: Path | None = None
    record_classes: bool = False
    worker_keeps: int = KEPT_BYTES


def jars() -> list[Path]:
    """Return Spark's jars in one order: an archive of classes is bound to the class path."""
    return sorted((Path(pyspark.__path__[0]) / "jars").glob("*.jar"))


def class_archive_path(java: Java) -> Path:
    """Return where the archive of loaded classes for this Java and this Spark lies; it may not be there."""
    key = hashlib.sha256(f"{java.home} {java.version} {pyspark.__version__} {pyspark.__path__[0]}".encode()).hexdigest()
    return Path(sys.prefix) / "share" / "tablemill" / f"spark-{key[:16]}.jsa"


def command(settings: JvmSettings) -> list[str]:
    """Return the command that starts the JVM."""
    memory = settings.conf.get("spark.driver.memory", DEFAULT_MEMORY)
    archive = []
    if settings.class_archive is not None:
        option = "ArchiveClassesAtExit" if settings.record_classes else "SharedArchiveFile"
        archive = [f"-XX:{option}={settings.class_archive}", "-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    return [
        str(settings.java.executable),
        f"-Xmx{memory}",
        "-XX:+UseSerialGC",
        "-XX:-UsePerfData",  # a file in /tmp that stays when the process is killed
        "-XX:TieredStopAtLevel=1",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:ArchiveRelocationMode=0",  # elsewhere, 47 MB of the archive would be memory of its own, not file cache
        "-XX:+IgnoreUnrecognizedVMOptions",
        *archive,
        *(["--add-modules=jdk.incubator.vector"] if settings.java.has_vector_module else []),
        *(f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED),
        "-Dio.netty.tryReflectionSetAccessible=true",
        f"-Djava.io.tmpdir={settings.scratch}",
        f"-Duser.home={settings.scratch}",
        "-cp",
        ":".join(str(jar) for jar in jars()),
        "org.apache.spark.deploy.SparkSubmit",
        *(part for key, value in sorted(settings.conf.items()) for part in ("--conf", f"{key}={value}")),
        "pyspark-shell",
    ]


class Jvm:
    """A JVM that was started; `gateway` waits until Spark answers."""

    def __init__(self, settings: JvmSettings) -> None:
        self._info = settings.scratch / "gateway"
        self.output = settings.scratch / "spark.log"
        self._log_in = settings.record_classes or not _has_name(os.getuid())
        environment = {
            **os.environ,
            "_PYSPARK_DRIVER_CONN_INFO_PATH": str(self._info),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_USER": _USER,
            "HADOOP_USER_NAME": _USER,
            "SPARK_LOCAL_HOSTNAME": "localhost",
            "SPARK_CONNECT_MODE": "0",
            "PYTHONHASHSEED": "0",
            **_WORKER_MEMORY,
            "MALLOC_TRIM_THRESHOLD_": str(settings.worker_keeps),
            "MALLOC_MMAP_THRESHOLD_": str(settings.worker_keeps),
        }
        try:
            with self.output.open("wb") as log:
                self.process = subprocess.Popen(  # noqa: S603 - the command is built here
                    command(settings),
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    env=environment,
                    cwd=settings.scratch,
                    start_new_session=True,  # an interrupt is ours to handle, not the JVM's
                )
        except OSError as error:
            raise UserError("spark.java", f"Java did not start: {error.strerror}", remedy="Check JAVA_HOME.") from error
        _let_die_first(self.process.pid)

    def gateway(self) -> Any:
        """Return the gateway to Spark's JVM; RetryError `spark.failed` when it ends or is too slow to start."""
        deadline = time.monotonic() + _START_SECONDS
        while not self._info.exists() or not self._info.stat().st_size:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise self.did_not_start(self.output.read_text(encoding="utf-8", errors="replace"))
            time.sleep(0.01)
        port, size = struct.unpack(">ii", self._info.read_bytes()[:8])
        gateway = _connect(port, self._info.read_bytes()[8 : 8 + size].decode())
        if self._log_in:
            _log_in(gateway)
        return gateway

    def ends_within(self, seconds: float) -> bool:
        """Wait for the process to end: connections to a killed one break before its end is known."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def did_not_start(self, output: str) -> RetryError:
        """Return the error for what Java or Spark wrote instead of starting."""
        return RetryError(
            "spark.failed",
            f"Spark did not start: {complaint(output)}",
            remedy="Check parameters.spark, and that there is enough memory.",
        )

    def kill(self) -> None:
        """End the process at once and wait for it."""
        self.process.kill()
        self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()


def _let_die_first(pid: int) -> None:
    """Have the kernel kill this process, or a worker it starts, before ours, which lives to say what happened."""
    with contextlib.suppress(OSError):  # there is no such file outside Linux
        Path(f"/proc/{pid}/oom_score_adj").write_text(_KILLED_FIRST, encoding="ascii")


def _connect(port: int, secret: str) -> Any:
    """Let pyspark connect to a JVM that is there; it takes port and secret from the environment only."""
    os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"] = str(port), secret
    try:
        return launch_gateway()  # type: ignore[no-untyped-call] # pyspark leaves it so
    finally:
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]


def _has_name(user: int) -> bool:
    """Return whether the system knows the user by a name; in a container any number may be the user."""
    try:
        pwd.getpwuid(user)
    except KeyError:
        return False
    return True


def _log_in(gateway: Any) -> None:
    """Tell Hadoop who we are: it asks the system for the user's name, and any use of its file systems fails without."""
    users = gateway.jvm.org.apache.hadoop.security.UserGroupInformation
    users.setLoginUser(users.createRemoteUser(_USER))


def complaint(text: str) -> str:
    """Return the one line of what Java or Spark wrote that tells people why it did not start, without a full stop.

    Stack traces and names of packages are left out.
    """
    lines = (line.strip() for line in text.splitlines() if not _NOISE.match(line))
    kept = [line for line in lines if line and not _EMPTY_WORDS.match(line)]
    telling = next((line for line in kept if "Exception" in line or "Error" in line), kept[0] if kept else "no output")
    return _PLAIN_KINDS.sub("", _START.sub("", telling, count=1), count=1)[:_LONGEST].rstrip(".")
