"""The data source in programs of their own: on a standalone cluster, without pandas, and as the notebook shows it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pyspark
import pytest

from component.spark.java import find_java

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[2]
SPARK = Path(pyspark.__path__[0])
NOTEBOOK = ROOT / "examples" / "read_with_spark.ipynb"
START_SECONDS = 60


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment with any Java that is found, and without pandas."""
    folder = tmp_path_factory.mktemp("environment")
    (folder / "pandas").mkdir()
    (folder / "pandas" / "__init__.py").write_text("raise ImportError('no pandas here')")
    program = folder / "java" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(JAVA.format(java=find_java().executable))
    program.chmod(0o755)
    return {
        **os.environ,
        "JAVA_HOME": str(folder / "java"),
        "PYTHONPATH": f"{folder}:{ROOT}",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_WORKER_DIR": str(folder / "work"),
    }


JAVA = """#!/bin/bash
# without a module that Spark names and a small Java may not have; with what lets a JVM start soon
arguments=()
for argument in "$@"; do
  [ "$argument" = --add-modules=jdk.incubator.vector ] || arguments+=("$argument")
done
exec "{java}" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "${{arguments[@]}}"
"""


def run(environment, *command, cwd=None):
    ended = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, timeout=200, check=False)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return ended.stdout


@contextlib.contextmanager
def daemon(environment, log, name, *arguments, until):
    """One of Spark's processes, once it has said that it is ready."""
    command = [SPARK / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *arguments]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not re.search(until, log.read_text()):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(30)


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def check(said):
    assert said["by partition"] == [["p0", 668], ["p1", 666], ["p2", 666]]
    assert said["sum"] == 2 * sum(range(1000))
    assert sorted(said["found"]) == [[7, "p1", 3.5]] * 2
    assert said["files"] == [24, 24]
    assert said["pandas"] is False


def test_a_standalone_cluster_reads_and_writes_and_failed_attempts_leave_nothing(environment, tmp_path):
    url = f"spark://127.0.0.1:{free_port()}"
    at_master = ("--host", "127.0.0.1", "--port", url.rpartition(":")[2], "--webui-port", "0")
    at_worker = ("--host", "127.0.0.1", "--cores", "2", "--memory", "1g", "--webui-port", "0", url)
    with (
        daemon(environment, tmp_path / "master", "master.Master", *at_master, until="elected leader"),
        daemon(environment, tmp_path / "worker", "worker.Worker", *at_worker, until="Successfully registered"),
    ):
        said = run(environment, sys.executable, ROOT / "tests/spark/source_job.py", url, f"{tmp_path.as_uri()}/flights")
    check(json.loads(said))


def test_the_notebook_runs_from_top_to_bottom(environment, tmp_path):
    notebook = json.loads(NOTEBOOK.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    program = tmp_path / "notebook.py"
    program.write_text("\n\n".join("".join(cell["source"]) for cell in code))
    path = [part for part in environment["PATH"].split(os.pathsep) if Path(part) != Path(sys.executable).parent]
    reader = {"PATH": os.pathsep.join(path), "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}  # nothing is activated
    said = run(reader, sys.executable, program, cwd=tmp_path)
    assert re.search(r"gate 3 *\| *2525", said)
