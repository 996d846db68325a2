"""One run done again: brought in, completed, run, judged, landed, compared."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import component
from component import clock
from component.errors import TablemillError
from component.findings import Finding, Level
from component.replay.compare.out_folder import Compared, OutComparison
from component.replay.configuration import Completed, complete, refusal
from component.replay.container import run_container
from component.replay.expected import expected_out, update_expected
from component.replay.landing import Landed, land, mapped_columns
from component.replay.left_behind import (
    document_remarks,
    input_remarks,
    junk_remarks,
    restored_folders,
    snapshot,
    unknown_names,
)
from component.replay.process import Command, Ended, run_command
from component.replay.remedies import with_remedies
from component.replay.request import IN_DATA, Case, Component, Handling
from component.replay.source import Workspace, bring_in, hold_apart, workspace
from component.replay.variables import passed_on, platform_variables
from component.replay.verdict import RunVerdict, judge
from component.report.results.replayed import OutputDifference, Replayed, Status
from component.report.words.masking import Masking, masked, printable


@dataclass(frozen=True, slots=True)
class _Done:
    """What happened after the component was started."""

    ended: Ended
    verdict: RunVerdict
    landed: Landed
    compared: Compared | None
    remarks: tuple[Finding, ...]


def replay_case(case: Case, handling: Handling) -> Replayed:
    """Do a run again and return what is to be said of it, secrets hidden.

    What keeps it from being run is in the result (`refused`) when the caller can mend it; a fault of ours is raised.
    """
    begun = clock.monotonic()
    mask = Masking()
    notes = [Finding(Level.NOTE, "replay.case", "", note) for note in case.notes]
    try:
        hold_apart(case.source, handling.work)
        with workspace(handling.work, keep=handling.keep_work) as work, _expected(case, handling, work) as expected:
            if handling.keep_work:
                notes.append(Finding(Level.NOTE, "replay.work", "", f"The working folder is kept: {work.root}"))
            notes += bring_in(case.source, work, keep_out=handling.keep_out)
            completed = complete(work.data, case, handling)
            mask = Masking(completed.secrets)
            if completed.gaps and not handling.allow_gaps:
                raise refusal(completed.gaps)
            notes += completed.gaps
            done = _run(case, handling, work, completed, expected)
    except TablemillError as error:
        if error.exit_code != 1:
            raise
        found = Replayed(case.name, Status.REFUSED, message=str(error), remarks=with_remedies(notes))
    else:
        found = _result(case, done, notes, handling)
    return replace(masked(found, mask), name=printable(case.name), seconds=clock.monotonic() - begun)


@contextmanager
def _expected(case: Case, handling: Handling, work: Workspace) -> Iterator[Path | None]:
    """Yield the out/ folder to compare with, open before the run: what is wrong with it need not wait for that."""
    if case.expected is None or handling.update or not case.expected.exists():
        yield None
        return
    with expected_out(case.expected, work.root) as expected:
        yield expected


def _run(case: Case, handling: Handling, work: Workspace, completed: Completed, expected: Path | None) -> _Done:
    before, unknown = snapshot(work.data / "in"), unknown_names(work.data)
    ended, remarks = _start(handling, work, completed.document)
    verdict = judge(ended, case.exit_code, _timeout(handling))
    remarks += restored_folders(work.data)
    remarks += document_remarks(work.data / "out", completed.notation)
    remarks += input_remarks(before, snapshot(work.data / "in"))
    remarks += junk_remarks(unknown, unknown_names(work.data))
    landed = Landed()
    if handling.mapping != "off":
        variables = _variables(handling, str(work.data), completed.document)
        landed = land(
            work.data, completed.document, handling.profile, variables, handling.rules, failed=bool(ended.exit_code)
        )
    as_expected = not any(remark.level is Level.ERROR for remark in verdict.remarks)
    out = work.data / "out"
    if handling.update:
        more = _update(case, out) if as_expected else []
        return _Done(ended, verdict, landed, None, (*remarks, *more))
    compared = _compare(case, handling, expected, out, mapped_columns(completed.document))
    return _Done(ended, verdict, landed, compared, (*remarks, *_unasked(compared)))


def _start(handling: Handling, work: Workspace, document: Any) -> tuple[Ended, list[Finding]]:
    chosen = handling.component
    if chosen.container is not None:
        variables = {**_variables(handling, "/data", document), **chosen.extra}
        return run_container(chosen.container, work, variables, _timeout(handling))
    variables = {
        **passed_on(handling.variables),
        "TMPDIR": str(work.tmp),
        **_variables(handling, str(work.data), document),
        **chosen.extra,
    }
    words = chosen.words
    if not words:
        words = (sys.executable, "-P", "-m", "component", "run")
        home = str(Path(component.__file__).parents[1])
        variables["PYTHONPATH"] = ":".join(filter(None, (home, variables.get("PYTHONPATH"))))
    command = Command(words, variables, _folder(chosen, work), _timeout(handling))
    return run_command(command, work.root), []


def _folder(chosen: Component, work: Workspace) -> Path | None:
    if chosen.folder is None:
        return None
    return work.data if chosen.folder == IN_DATA else Path(chosen.folder)


def _variables(handling: Handling, data_dir: str, document: Any) -> dict[str, str]:
    parameters = document.get("parameters") if isinstance(document, dict) else None
    return platform_variables(handling.profile, data_dir, parameters)


def _timeout(handling: Handling) -> float:
    return handling.component.timeout


def _update(case: Case, out: Path) -> list[Finding]:
    if case.expected is None:
        return []
    text = f"What came out is what is expected from now on: {update_expected(case.expected, out)}"
    return [Finding(Level.NOTE, "replay.updated", "", text)]


def _compare(
    case: Case, handling: Handling, expected: Path | None, out: Path, columns: Mapping[str, Sequence[str]]
) -> Compared | None:
    if case.expected is None:
        return None
    if expected is None:
        return Compared((), (), (OutputDifference("out", "missing", f"There is no {str(case.expected)!r}."),))
    return OutComparison(expected, out, handling.compare, columns).compare()


def _unasked(compared: Compared | None) -> list[Finding]:
    texts = [f"No {name} is expected, so it was not compared." for name in (compared.unasked if compared else ())]
    return [Finding(Level.NOTE, "replay.unasked", "out", text) for text in texts]


def _result(case: Case, done: _Done, notes: list[Finding], handling: Handling) -> Replayed:
    landed = tuple(_softened(done.landed.remarks, handling))
    remarks = with_remedies((*done.verdict.remarks, *notes, *done.remarks, *landed))
    failing = {Level.ERROR, Level.WARNING} if handling.strict else {Level.ERROR}
    differences = done.compared.differences if done.compared is not None else ()
    if any(remark.level in failing for remark in remarks):
        status = Status.FAILED
    elif differences:
        status = Status.DIFFERENT
    else:
        status = Status.PASSED if done.compared is None else Status.EQUAL
    return Replayed(
        case.name,
        status,
        exit_code=done.ended.exit_code,
        message=done.verdict.message,
        remarks=remarks,
        differences=differences,
        landings=done.landed.landings,
        compared=done.compared.places if done.compared is not None else (),
        stdout=done.ended.stdout,
        stderr=done.ended.stderr,
    )


def _softened(remarks: tuple[Finding, ...], handling: Handling) -> Iterator[Finding]:
    """Yield remarks of the platform's rules, refusals as warnings where they are to be no more."""
    for remark in remarks:
        soft = handling.mapping == "warn" and remark.level is Level.ERROR
        yield replace(remark, level=Level.WARNING) if soft else remark
