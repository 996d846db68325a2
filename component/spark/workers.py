"""How many tasks run at once where memory is bounded: a container's limit kills a run that has too many workers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from component import naming

ALL_CORES: Final = "local[*]"
BASE_BYTES: Final = 330 * naming.MIB
"""What a run holds without workers: the driver, the JVM, and the process that workers are forked from."""
WORKER_BYTES: Final = 512 * naming.MIB
"""What a worker holds at most, whatever the size of the input; with small tables it is a quarter of that."""
LIMITS: Final = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Where a container sees its limit: control groups of version 2, and of version 1."""


def fitting_master(master: str, limit: int | None, cores: int) -> str:
    """Return Spark's master with as many workers as fit into `limit` bytes, one at least; only "local[*]" changes."""
    if master != ALL_CORES or limit is None:
        return master
    fit = (limit - BASE_BYTES) // WORKER_BYTES
    return ALL_CORES if fit >= cores else f"local[{max(1, fit)}]"


def memory_limit(places: tuple[Path, ...] = LIMITS) -> int | None:
    """Return the bytes that this container may use; None where nothing bounds them."""
    for place in places:
        try:
            said = place.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            continue
        if said.isdecimal():
            return int(said)
    return None


def cores() -> int:
    """Return the cores that this process may use."""
    return len(os.sched_getaffinity(0))
