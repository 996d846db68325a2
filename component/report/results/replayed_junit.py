"""A replay as JUnit XML, the form that CI systems show test results from: a test case for each run."""

from __future__ import annotations

import re
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from component.findings import Level
from component.report.results.replayed import OutputDifference, Replay, Replayed, Status
from component.report.words.findings import finding_line

SUITE: Final = "tablemill replay"
_NOT_IN_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ERRORS: Final = frozenset({Status.REFUSED})
"""What could not be run is an error; what ran and is not as expected is a failure."""


def render_junit(replay: Replay) -> bytes:
    """Return the document, UTF-8 with declaration; characters that XML cannot hold are question marks."""
    failures = sum(not run.is_well and run.status not in _ERRORS for run in replay.runs)
    errors = sum(run.status in _ERRORS for run in replay.runs)
    counts = {
        "tests": str(len(replay.runs)),
        "failures": str(failures),
        "errors": str(errors),
        "skipped": "0",
        "time": f"{sum(run.seconds for run in replay.runs):.3f}",
    }
    suites = Element("testsuites", {"name": SUITE, **{key: counts[key] for key in counts if key != "skipped"}})
    suite = SubElement(suites, "testsuite", {"name": SUITE, **counts})
    for run in replay.runs:
        _add(suite, run)
    indent(suites)
    return bytes(tostring(suites, encoding="utf-8", xml_declaration=True)) + b"\n"


def _add(suite: Element, run: Replayed) -> None:
    folder, _, name = run.name.rpartition("/")
    attributes = {"name": _text(name), "classname": _text(folder.replace("/", ".") or SUITE)}
    case = SubElement(suite, "testcase", {**attributes, "time": f"{run.seconds:.3f}"})
    if not run.is_well:
        kind = "error" if run.status in _ERRORS else "failure"
        lines = _reasons(run)
        found = SubElement(case, kind, {"message": _text(lines[0] if lines else ""), "type": run.status.value})
        found.text = _text("\n".join(lines))
    for tag, text in (("system-out", run.stdout), ("system-err", run.stderr)):
        if text:
            SubElement(case, tag).text = _text(text)


def _reasons(run: Replayed) -> list[str]:
    if run.status is Status.REFUSED:
        return [run.message]
    lines = [finding_line(finding) for finding in run.remarks if finding.level is Level.ERROR]
    lines += [line for difference in run.differences for line in _difference(difference)]
    return lines + [finding_line(finding) for finding in run.remarks if finding.level is Level.WARNING]


def _difference(difference: OutputDifference) -> list[str]:
    lines = [f"{difference.place}: {difference.text}"]
    for row in difference.rows:
        cells = ", ".join(f"{name}={'null' if cell is None else repr(cell)}" for name, cell in row.cells)
        lines.append(f"  {row.side} {row.slice} row {row.number}: {cells}")
    return lines


def _text(text: str) -> str:
    return _NOT_IN_XML.sub("?", text)
