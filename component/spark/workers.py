"""How many tasks run at once where memory is bounded, and what a worker keeps: a container's limit kills a run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from component import naming

ALL_CORES: Final = "local[*]"
BASE_BYTES: Final = 280 * naming.MIB
"""What a run holds without workers: the driver, the JVM, and the process that workers are forked from."""
WORKER_BYTES: Final = 512 * naming.MIB
"""What a worker holds at most, whatever the size of the input; with small tables it is a quarter of that."""
KEPT_BYTES: Final = 256 * naming.MIB
"""What a worker keeps of freed memory: giving pages back and touching them again costs 10 to 20% of a run."""
SPARINGLY_KEPT_BYTES: Final = 16 * naming.MIB
"""What it keeps where the limit has no room for a whole worker: 20 MB less in a run of small tables."""
LIMITS: Final = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))
"""Where a container sees its limit: control groups of version 2, and of version 1."""


def fitting_master(master: str, limit: int | None, cores: int) -> str:
    """Return Spark's master with as many workers as fit into `limit` bytes, one at least; only "local[*]" changes."""
    if master != ALL_CORES or limit is None:
        return master
    fit = (limit - BASE_BYTES) // WORKER_BYTES
    return ALL_CORES if fit >= cores else f"local[{max(1, fit)}]"


def kept_bytes(limit: int | None) -> int:
    """Return the bytes of freed memory that a worker may hold on to within `limit`."""
    return KEPT_BYTES if limit is None or limit >= BASE_BYTES + WORKER_BYTES else SPARINGLY_KEPT_BYTES


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
