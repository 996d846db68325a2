"""One run done again: brought in, completed, run, judged, landed, compared."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import component
from component import clock
from component.errors import TablemillError
from component.mapping.model import Level
from component.replay.compare.out_folder import Compared, OutComparison
from component.replay.configuration import Completed, complete, refusal
from component.replay.container import run_container
from component.replay.expected import expected_out, update_expected
from component.replay.landing import Landed, land
from component.replay.left_behind import document_remarks, input_remarks, junk_remarks, snapshot
from component.replay.process import Command, Ended, run_command
from component.replay.request import IN_DATA, Case, Component, Handling
from component.replay.source import Workspace, bring_in, workspace
from component.replay.variables import passed_on, platform_variables
from component.replay.verdict import Verdict, judge
from component.report.masking import Masking
from component.report.replayed import Difference, Remark, Replayed, Status, masked


@dataclass(frozen=True, slots=True)
class _Done:
    """What happened after the component was started."""

    ended: Ended
    verdict: Verdict
    landed: Landed
    compared: Compared | None
    remarks: tuple[Remark, ...]


def replay_case(case: Case, handling: Handling) -> Replayed:
    """Do a run again and return what is to be said of it, secrets hidden.

    What keeps it from being run is in the result (`refused`) when the caller can mend it; a fault of ours is raised.
    """
    begun = clock.monotonic()
    mask = Masking()
    notes = [Remark(Level.NOTE, "replay.case", note) for note in case.notes]
    try:
        with workspace(handling.work, keep=handling.keep_work) as work:
            if handling.keep_work:
                notes.append(Remark(Level.NOTE, "replay.work", f"The working folder is kept: {work.root}"))
            notes += bring_in(case.source, work, keep_out=handling.keep_out)
            completed = complete(work.data, case, handling)
            mask = Masking(completed.secrets)
            if completed.gaps and not handling.allow_gaps:
                raise refusal(completed.gaps)
            notes += [Remark(Level.WARNING, "replay.gap", gap.text, gap.place) for gap in completed.gaps]
            done = _run(case, handling, work, completed)
    except TablemillError as error:
        if error.exit_code != 1:
            raise
        found = Replayed(case.name, Status.REFUSED, message=str(error), remarks=tuple(notes))
    else:
        found = _result(case, done, notes, handling)
    return replace(masked(found, mask), name=case.name, seconds=clock.monotonic() - begun)


def _run(case: Case, handling: Handling, work: Workspace, completed: Completed) -> _Done:
    before = snapshot(work.data / "in")
    ended, remarks = _start(handling, work, completed.document)
    verdict = judge(ended, case.exit_code, _timeout(handling))
    remarks += document_remarks(work.data / "out", completed.notation)
    remarks += [*input_remarks(before, snapshot(work.data / "in")), *junk_remarks(work.data)]
    landed = Landed()
    if handling.mapping != "off":
        variables = _variables(handling, str(work.data), completed.document)
        landed = land(
            work.data, completed.document, handling.profile, variables, handling.rules, failed=bool(ended.exit_code)
        )
    as_expected = not any(remark.level is Level.ERROR for remark in verdict.remarks)
    compared, more = _compare(case, handling, work.data / "out", landed, as_expected=as_expected)
    return _Done(ended, verdict, landed, compared, (*remarks, *more))


def _start(handling: Handling, work: Workspace, document: Any) -> tuple[Ended, list[Remark]]:
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


def _compare(
    case: Case, handling: Handling, out: Path, landed: Landed, *, as_expected: bool
) -> tuple[Compared | None, list[Remark]]:
    if case.expected is None or (handling.update and not as_expected):
        return None, []
    if handling.update:
        written = update_expected(case.expected, out)
        text = f"What came out is what is expected from now on: {written}"
        return None, [Remark(Level.NOTE, "replay.updated", text)]
    if not case.expected.exists():
        text = f"There is no {str(case.expected)!r}."
        return Compared((), (), (Difference("out", "missing", text),)), []
    columns: Mapping[str, Any] = landed.columns or {}
    with expected_out(case.expected) as expected:
        compared = OutComparison(expected, out, handling.compare, columns).compare()
    texts = [f"No {name} is expected, so it was not compared." for name in compared.unasked]
    return compared, [Remark(Level.NOTE, "replay.unasked", text, "out") for text in texts]


def _result(case: Case, done: _Done, notes: list[Remark], handling: Handling) -> Replayed:
    landed = tuple(_softened(done.landed.remarks, handling))
    remarks = (*done.verdict.remarks, *notes, *done.remarks, *landed)
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


def _softened(remarks: tuple[Remark, ...], handling: Handling) -> Iterator[Remark]:
    """Yield remarks of the platform's rules, refusals as warnings where they are to be no more."""
    for remark in remarks:
        soft = handling.mapping == "warn" and remark.level is Level.ERROR
        yield replace(remark, level=Level.WARNING) if soft else remark
