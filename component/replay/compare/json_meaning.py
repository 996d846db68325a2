"""Two JSON values by meaning: the order of keys does not count, nor how a number is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from component.config.json_text import Step, describe, json_path
from component.replay.compare.options import CompareOptions
from component.report.results.replayed import OutputDifference

MOST_DIFFERENCES: Final = 20
_TIMESTAMP: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?")


def compare_values(place: str, expected: Any, actual: Any, options: CompareOptions) -> list[OutputDifference]:
    """Return where two JSON values differ, each with its path, at most `MOST_DIFFERENCES` of them."""
    found: list[OutputDifference] = []
    for steps, text in _differences((), expected, actual, options):
        if len(found) == MOST_DIFFERENCES:
            found.append(OutputDifference(place, "value", "There are more differences."))
            break
        found.append(OutputDifference(place, "value", f"{json_path(steps) or 'The whole'}: {text}."))
    return found


def _differences(
    steps: tuple[Step, ...], expected: Any, actual: Any, options: CompareOptions
) -> Iterator[tuple[tuple[Step, ...], str]]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in dict.fromkeys([*expected, *actual]):
            if key in options.ignored_keys:
                continue
            if key not in actual:
                yield (*steps, key), f"missing, expected is {describe(expected[key])}"
            elif key not in expected:
                yield (*steps, key), f"not expected, it is {describe(actual[key])}"
            else:
                yield from _differences((*steps, key), expected[key], actual[key], options)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield steps, f"{len(actual)} items, expected are {len(expected)}"
        for index, (one, other) in enumerate(zip(expected, actual, strict=False)):
            yield from _differences((*steps, index), one, other, options)
    elif not _equal(expected, actual, options):
        yield steps, f"{describe(actual)}, expected is {describe(expected)}"


def _equal(expected: Any, actual: Any, options: CompareOptions) -> bool:
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if {repr(expected), repr(actual)} == {"[]", "{}"}:  # PHP writes one for the other (reference keboola 1.2)
        return True
    if isinstance(expected, int | float) and isinstance(actual, int | float) and options.tolerance is not None:
        return abs(expected - actual) <= options.tolerance * max(1, abs(expected), abs(actual))
    if options.ignore_timestamps and isinstance(expected, str) and isinstance(actual, str):
        return expected == actual or bool(_TIMESTAMP.fullmatch(expected) and _TIMESTAMP.fullmatch(actual))
    return bool(expected == actual)
