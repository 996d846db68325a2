"""Run a command and measure the whole process tree: wall seconds, CPU seconds, peak resident memory."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import psutil

SAMPLE_SECONDS = 0.02


@dataclass(frozen=True)
class Measured:
    wall: float
    cpu: float
    peak_mb: float
    output: str
    largest_mb: float = 0.0
    """Of the process that had most at any moment."""


def measure(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Measured:
    """Measure one command; a failure of it is an error. CPU is what was last seen of each process of the tree."""
    cpu: dict[int, float] = {}
    peak = largest = 0
    with tempfile.TemporaryFile() as said:  # a pipe that nobody reads meanwhile would stop who writes much
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, env=environment)
        root = psutil.Process(process.pid)
        while process.poll() is None:
            sizes = _sample(root, cpu)
            peak, largest = max(peak, sum(sizes)), max(largest, *sizes, 0)
            time.sleep(SAMPLE_SECONDS)
        wall = time.perf_counter() - started
        said.seek(0)
        output = said.read().decode(errors="replace")
    if process.returncode:
        raise RuntimeError(f"{command} ended with {process.returncode}:\n{output}")
    return Measured(wall, sum(cpu.values()), peak / 1e6, output, largest / 1e6)


def _sample(root: psutil.Process, cpu: dict[int, float]) -> list[int]:
    """Return the resident bytes of each process of the tree."""
    resident = []
    with contextlib.suppress(psutil.NoSuchProcess):
        for one in [root, *root.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                times = one.cpu_times()
                cpu[one.pid] = times.user + times.system
                resident.append(one.memory_info().rss)
    return resident
