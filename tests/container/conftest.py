"""The image, built from this checkout, and containers of it. Without an engine these tests skip, and say so."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

os.environ.setdefault("TESTCONTAINERS_RYUK_DISABLED", "true")  # every container here is removed by its own test
from testcontainers.core.container import DockerContainer

ROOT = Path(__file__).parents[2]
BASE_IMAGE = os.environ.get("BASE_IMAGE", "python:3.11-slim-bookworm")
USER = 54321 if os.getuid() == 0 else os.getuid()
"""A user whom no image knows by name; only root may give a folder to somebody else."""


@pytest.fixture(scope="session")
def image():
    """The name of the image of this checkout."""
    if reason := _missing():
        required = os.environ.get("TABLEMILL_REQUIRE_ENGINE") == "1"
        (pytest.fail if required else pytest.skip)(f"The container is not tested: {reason}.")
    name = os.environ.get("IMAGE", "tablemill")
    built = subprocess.run(
        [ROOT / "scripts" / "image.sh"],
        env={**os.environ, "IMAGE": name, "BASE_IMAGE": BASE_IMAGE},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert built.returncode == 0, built.stdout[-4000:]
    return name


def _missing() -> str:
    """Say what of an engine is missing; nothing when all is there."""
    if shutil.which("docker") is None:
        return "there is no docker command here"
    if not _docker("info"):
        return "no container engine answers"
    if not _docker("image", "inspect", BASE_IMAGE) and not _docker("pull", BASE_IMAGE):
        return f"the engine has no image {BASE_IMAGE} and cannot fetch it"
    return ""


def _docker(*arguments: str) -> bool:
    return subprocess.run(["docker", *arguments], capture_output=True, timeout=600, check=False).returncode == 0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a container ended, and what it left."""

    exit_code: int
    stdout: str
    stderr: str
    changed: list[str]


@pytest.fixture
def end_of(image):
    """Return a function that runs a container on a data folder until it ends."""

    def run(folder: Path, command: list[str], mounts: tuple[str, ...] = (), **options: object) -> Ended:
        container = DockerContainer(image, command=command)
        container.with_kwargs(**options).with_volume_mapping(folder, "/data", "rw")
        for place in mounts:
            container.with_tmpfs_mount(place)
        with container:
            exit_code = container.wait()
            stdout, stderr = container.get_logs()
            changed = container.get_wrapped_container().diff() or []
            return Ended(exit_code, stdout.decode(), stderr.decode(), [change["Path"] for change in changed])

    return run


@pytest.fixture
def locked_down(end_of):
    """Return the same function, as strict as a platform may be: an unknown user, read-only, no HOME, no network."""

    def run(folder: Path, command: list[str]) -> Ended:
        return end_of(
            folder,
            ["-u", "HOME", *command],
            mounts=("/tmp",),
            entrypoint=["env"],
            user=f"{USER}:{USER}",
            read_only=True,
            network_mode="none",
            mem_limit="2g",
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
        )

    return run


@pytest.fixture
def sample(tmp_path):
    """A copy of data-sample that belongs to the user of the container."""
    folder = tmp_path / "data"
    subprocess.run([ROOT / "scripts" / "sample.sh", folder], check=True)
    return _give_away(folder)


@pytest.fixture
def bad_folder(tmp_path):
    """A data folder whose configuration has a key that nobody knows."""
    folder = tmp_path / "data"
    for part in ("in/tables", "in/files", "out/tables", "out/files"):
        (folder / part).mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"parameters": {"datasetz": []}}), encoding="utf-8")
    return _give_away(folder)


def _give_away(folder: Path) -> Path:
    if os.getuid() == 0:
        for path in [folder, *folder.rglob("*")]:
            os.chown(path, USER, USER)
    return folder
