"""The real records-mover 1.6.4 for tests: one process of its own environment per test session."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.foreign.process import ForeignProcess, required_python


class Client(ForeignProcess):
    """Calls to records-mover; arguments as in `client`."""

    def __init__(self, home: Path) -> None:
        super().__init__(
            required_python("records", "records"),
            Path(__file__).with_name("client.py"),
            stderr=subprocess.DEVNULL,  # it tells its whole day
            cwd=home,
            env={"PATH": os.environ["PATH"], "HOME": str(home), "TZ": "UTC"},
        )

    def write(
        self, root: Path, variant: str | None, hints: dict[str, Any], types: dict[str, str], rows: list[Any]
    ) -> None:
        root.mkdir()
        names, kinds = list(types), list(types.values())
        arguments = {"variant": variant, "hints": hints, "columns": names, "types": kinds, "rows": rows}
        self.ask("write", root=str(root), zone="US/Eastern", **arguments)

    def read(self, root: Path) -> tuple[list[str], list[list[Any]]]:
        return self.ask("read", root=str(root))

    def describe(self, root: Path) -> dict[str, Any]:
        return self.ask("describe", root=str(root))

    def copy(self, root: Path, target: Path) -> None:
        target.mkdir()
        self.ask("copy", root=str(root), target=str(target))


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    process = Client(tmp_path_factory.mktemp("home"))
    yield process
    process.close()
