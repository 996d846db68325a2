"""Calls everything that reads a data folder, in this process, and looks at all that comes out of it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from component.cli.check import check_and_show
from component.cli.resolve import resolve_folder
from component.cli.run import run_folder
from component.mapping.platform.settings import JobFacts
from tests.spark.inline_engine import InlineEngine
from tests.strategies.data_folders import SECRET, STATE_SECRET

SECONDS = 20
"""After which a call is a hang. Most take milliseconds, and the machine may be busy."""
MESSAGE_LIMIT = 4000
TRACE = re.compile(r'Traceback \(most recent|\bFile "[^"]*", line \d|a fault of its own|\bpy4j|\bException\b')
OURS = frozenset({"out", "out/tables", "out/files"})
"""Folders that the platform always makes; a run makes those that are missing, also one that fails later."""


class HangError(BaseException):
    """A call did not return; not an Exception, so that nobody takes it for one."""


class NoSpark(InlineEngine):
    """Runs tasks here; nothing starts."""

    @property
    def context(self) -> Any:
        return None


@dataclass(frozen=True)
class Seen:
    """What somebody sees of one call."""

    code: int
    out: str
    err: str


def look(call: Callable[[], int]) -> Seen:
    """Call something with streams of its own, strict as those of a container are, for a bounded time."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _bounded():
        code = call()
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return Seen(code, *texts)


@contextlib.contextmanager
def _bounded() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# --- what is called ---


def run(root: Path, variables: Mapping[str, str] = {}, *, as_json: bool = False) -> Seen:
    """Run a folder: an error leaves everything as it was, and nothing is left in the temporary folder."""
    before = snapshot(root.parent)
    with _scratch() as scratch:
        seen = look(
            lambda: run_folder(variables, root, as_json=as_json, start=lambda *_: contextlib.nullcontext(NoSpark()))
        )
        left = list(scratch.iterdir())
    assert left == [], "files are left in the temporary folder"
    assert_told(seen)
    if seen.code:
        assert_one_sentence(seen, as_json=as_json)
        assert_same(before, snapshot(root.parent))
    else:
        assert seen.err == "", "stderr of a good run is a red event on the platform"
    return seen


def resolve(root: Path, rules: str, *, as_json: bool) -> Seen:
    """Resolve a folder by a rule set; nothing in it changes."""
    return _reading(root, lambda: resolve_folder({}, root, JobFacts(), rules, as_json=as_json))


def check(root: Path, *, as_json: bool) -> Seen:
    """Check a folder; nothing in it changes."""
    return _reading(root, lambda: check_and_show({}, root, as_json=as_json))


def _reading(root: Path, call: Callable[[], int]) -> Seen:
    before = snapshot(root)
    with _scratch() as scratch:
        seen = look(call)
        assert list(scratch.iterdir()) == []
    assert_told(seen)
    assert snapshot(root) == before
    if seen.err:
        assert_one_sentence(seen, as_json=False)
    return seen


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="fuzz-scratch-") as path:
        tempfile.tempdir = path
        try:
            yield Path(path)
        finally:
            tempfile.tempdir = before


# --- what must hold ---


def assert_told(seen: Seen) -> None:
    """A result or an error of the user's, no trace of ours, no secret."""
    assert seen.code in {0, 1}, seen
    assert not TRACE.search(seen.err + seen.out), seen
    assert SECRET not in seen.out + seen.err, seen
    assert STATE_SECRET not in seen.out + seen.err, seen


def assert_one_sentence(seen: Seen, *, as_json: bool) -> None:
    """The error alone is on stderr: one line that ends as a sentence does, within what the platform shows."""
    assert seen.err.endswith("\n"), seen
    text = seen.err[:-1]
    assert "\n" not in text, seen
    assert text.endswith((".", "?", ".'", "…")), seen
    assert len(text) <= MESSAGE_LIMIT, len(text)
    if as_json and seen.out:  # an action has nothing to say beside its error
        assert json.loads(seen.out)["error"]["text"] == text


def assert_same(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    added = {name for name in after if name not in before}
    assert {name for name in added if not _is_ours(name, after)} == set()
    assert {name: after.get(name) for name in before} == dict(before)


def _is_ours(name: str, after: Mapping[str, Any]) -> bool:
    return name.partition("/")[2] in OURS and after[name] == (stat.S_IFDIR, None)


def snapshot(root: Path) -> dict[str, Any]:
    """Everything below a folder: its kind, and content or where a link leads."""
    found: dict[str, Any] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            if ".tablemill;" not in path.parts:
                found[str(path.relative_to(root))] = _content(path)
    return found


def _content(path: Path) -> Any:
    try:
        facts = path.lstat()
    except PermissionError:
        return None
    kind = stat.S_IFMT(facts.st_mode)
    if kind == stat.S_IFLNK:
        return kind, str(path.readlink())
    if kind == stat.S_IFREG:
        return kind, (facts.st_size if facts.st_size > 1_000_000 else _bytes(path))
    return kind, None


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except PermissionError:
        return None
