"""The container engine: which flags it gets, and one real run of an image made on the spot."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from component.errors import UserError
from component.replay.container import Container, find_engine, flags
from component.replay.request import Component
from component.replay.source import Workspace
from component.report.results.replayed import Status
from tests.replay.conftest import TABLE

IMAGE = "tablemill-test-replay"


def test_the_flags_are_those_of_the_platform(tmp_path):
    container = Container(
        "image:1", "/usr/bin/docker", memory="256m", network="none", name="n", cpus=1.5, folder="/data"
    )
    words = flags(container, Workspace(tmp_path), {"KBC_DATADIR": "/data/", "A": "secret"}, "123:456")
    assert words == [
        *("run", "--name", "n"),
        *("--volume", f"{tmp_path}/data:/data", "--volume", f"{tmp_path}/tmp:/tmp"),
        *("--memory", "256m", "--network", "none", "--cpus", "1.5", "--user", "123:456", "--workdir", "/data"),
        *("--env", "A", "--env", "KBC_DATADIR", "image:1"),
    ]
    assert "secret" not in " ".join(words)


def test_an_image_may_run_as_its_own_user_and_with_arguments(tmp_path):
    words = flags(Container("i", "docker", arguments=("-x", "y")), Workspace(tmp_path), {}, None)
    assert "--user" not in words
    assert words[-3:] == ["i", "-x", "y"]


def test_the_engine_is_found_on_the_path_or_missed(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="no container engine") as caught:
        find_engine(None)
    assert caught.value.code == "replay.command"
    (tmp_path / "podman").touch(0o755)
    assert find_engine(None) == str(tmp_path / "podman")
    (tmp_path / "docker").touch(0o755)
    assert find_engine(None) == str(tmp_path / "docker")
    assert find_engine("podman") == str(tmp_path / "podman")


def test_an_engine_that_does_not_answer_is_refused(folder, replayed, tmp_path):
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\necho 'Cannot connect to the daemon' >&2\nexit 125\n")
    engine.chmod(0o755)
    result = replayed(folder, component=Component(container=Container("i", str(engine), user="image")))
    assert (result.status, "Cannot connect to the daemon" in result.message) == (Status.REFUSED, True)


@pytest.fixture(scope="module")
def engine():
    """The engine's command, with an image of a shell."""
    reason = "there is no docker or podman command here"
    command = next((found for name in ("docker", "podman") if (found := shutil.which(name))), None)
    if command is not None:
        answer = subprocess.run([command, "info"], capture_output=True, timeout=60, check=False)
        reason = "" if answer.returncode == 0 else "no container engine answers"
    if reason:
        required = os.environ.get("TABLEMILL_REQUIRE_ENGINE") == "1"
        (pytest.fail if required else pytest.skip)(f"Replaying an image is not tested: {reason}.")
    assert command is not None
    subprocess.run([command, "import", "-", IMAGE], input=shell_image(), capture_output=True, timeout=120, check=True)
    yield command
    subprocess.run([command, "rmi", "--force", IMAGE], capture_output=True, timeout=60, check=False)


def shell_image():
    """Return a file system of a few programs of this machine, and the libraries that they need."""
    programs = [Path(found) for name in ("sh", "cp", "id", "env", "touch") if (found := shutil.which(name))]
    listed = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    libraries = {Path(word) for word in listed.split() if word.startswith("/") and not word.endswith(":")}
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for folder in ("tmp", "data", "code"):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o777
            tar.addfile(entry)
        for path in {*libraries, *programs}:
            target = path if path in libraries else Path("/bin", path.name)
            data = path.resolve().read_bytes()
            entry = tarfile.TarInfo(str(target).lstrip("/"))
            entry.size, entry.mode = len(data), 0o755
            tar.addfile(entry, io.BytesIO(data))
    return made.getvalue()


@pytest.mark.engine
@pytest.mark.timeout(300)
def test_an_image_runs_as_on_the_platform_and_its_outputs_are_compared(engine, folder, replayed, write_folder):
    script = "cp /data/in/tables/t.csv /data/out/tables/t.csv; id -u; env; touch /tmp/x /code/y; echo s3cret"
    container = Container(IMAGE, engine, network="none", arguments=("/bin/sh", "-c", script))
    expected = write_folder("expected", {"out/tables/t.csv": TABLE})
    result = replayed(folder, component=Component(container=container, extra={"MORE": "1"}), expected=expected)
    assert (result.status, result.exit_code, result.stderr) == (Status.EQUAL, 0, ""), result
    lines = result.stdout.splitlines()
    assert int(lines[0]) == os.getuid() if os.getuid() else int(lines[0]) >= 20_000
    assert {"KBC_DATADIR=/data/", "MORE=1", "KBC_COMPONENT_RUN_MODE=debug"} <= set(lines)
    assert "s3cret" not in result.stdout
    assert [remark.code for remark in result.remarks if remark.level.value != "note"] == ["replay.written_elsewhere"]
    assert [remark.text for remark in result.remarks if remark.code == "replay.written_elsewhere"] == [
        "It wrote outside of /data and /tmp: /code/y."
    ]
    left = subprocess.run(
        [engine, "ps", "--all", "--quiet", "--filter", f"name={container.name}"], capture_output=True, check=True
    )
    assert left.stdout == b""


@pytest.mark.engine
@pytest.mark.timeout(300)
def test_an_image_that_fails_or_takes_too_long_has_failed(engine, folder, replayed):
    def run(script, timeout=60.0):
        container = Container(IMAGE, engine, user="image", arguments=("/bin/sh", "-c", script))
        return replayed(folder, component=Component(container=container, timeout=timeout))

    failed = run("echo no access >&2; exit 1")
    assert (failed.exit_code, failed.message) == (1, "no access")
    late = run("while true; do true; done", timeout=1.5)
    assert late.message == "Running container exceeded the timeout of 1.5 seconds."


@pytest.mark.engine
def test_variables_of_the_engine_reach_the_image_alone(engine, folder, replayed):
    container = Container(IMAGE, engine, arguments=("/bin/sh", "-c", 'echo "$HOME $DOCKER_HOST"'))
    extra = {"HOME": "/nowhere", "DOCKER_HOST": "tcp://127.0.0.1:9"}
    result = replayed(folder, component=Component(container=container, extra=extra))
    assert (result.status, result.stdout) == (Status.PASSED, "/nowhere tcp://127.0.0.1:9\n")


@pytest.mark.engine
def test_an_engine_that_refuses_is_quoted_in_few_words(engine, folder, replayed):
    message = replayed(folder, component=Component(container=Container(IMAGE, engine, memory="much"))).message
    assert "much" in message
    assert "Usage" not in message


@pytest.mark.engine
def test_an_image_that_is_not_there_is_refused(engine, folder, replayed):
    result = replayed(folder, component=Component(container=Container("127.0.0.1:9/no/such:1", engine)))
    assert (result.status, "cannot be run" in result.message) == (Status.REFUSED, True)
