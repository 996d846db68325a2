"""Record the archive of Spark's classes once, at set-up: `python -m component.spark.record`.

With it the JVM maps classes instead of loading them. It is bound to one Java and one Spark; others go on without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from component import identity
from component.spark.engine import Engine
from component.spark.java import find_java
from component.spark.jvm import class_archive_path


def record() -> Path:
    """Run a small job that loads what real ones do, and keep the classes; return where. Does nothing if it is there."""
    target = class_archive_path(find_java())
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(f".{identity.new_hex()}")
    with Engine("local[2]", {}, class_archive=unfinished) as engine:
        engine.run(_double, [1, 2, 3, 4])
        engine.shuffle(_scatter, [1, 2], 2, _gather)
    if unfinished.exists():
        unfinished.rename(target)
    return target


def _double(number: int) -> int:
    return 2 * number


def _scatter(number: int) -> Iterator[tuple[int, bytes] | int]:
    yield 0, b"first"
    yield 1, b"second"
    yield number


def _gather(parts: Iterable[bytes]) -> int:
    return len(list(parts))


if __name__ == "__main__":
    record()
