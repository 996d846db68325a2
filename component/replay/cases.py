"""Folders of cases in the layout of datadirtest (reference keboola 7.3), and single runs, as cases.

A case is a folder with `source/data`, and with `expected/data/out` or a file `expected-code` or both. Scripts beside
them (set_up.py, tear_down.py) are not run: they are code of the tests, written for another runner.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from component.errors import UserError
from component.replay.request import Case
from component.store.files import failing

EXPECTED_CODE: Final = "expected-code"
_CODES: Final = range(256)
_SOURCE: Final = Path("source", "data")
_EXPECTED: Final = Path("expected", "data", "out")
_SCRIPTS: Final = ("set_up.py", "tear_down.py", "post_run.py")
_OUTPUTS: Final = ("expected-stdout", "expected-stderr")
_DEEPEST: Final = 4


def find_cases(source: Path, expected: Path | None, *, update: bool = False) -> list[Case]:
    """Return what is to be replayed: one run, or all cases in a folder, by name.

    `expected` is for a single run; cases have their own. With `update` it is to be written. UserError `replay.source`,
    `replay.expected`: whatever can be known before an hour is spent on a run.
    """
    with failing(source, "read"):
        exists = source.exists()
    if not exists:
        raise UserError("replay.source", f"There is no {str(source)!r}", remedy="Give a ZIP, a folder, or cases.")
    folders = sorted(_case_folders(source, _DEEPEST)) if source.is_dir() else []
    if not folders:
        _hold_expected(expected, update=update)
        return [Case(source.absolute().name, source, expected)]
    if expected is not None:
        text = f"{str(source)!r} is a folder of cases, which have their own expectations"
        raise UserError("replay.expected", text, remedy="Leave --expected out, or name one case's source/data.")
    return [_case(folder, source, update=update) for folder in folders]


def _hold_expected(expected: Path | None, *, update: bool) -> None:
    if update and expected is None:
        raise UserError("replay.expected", "There is nothing to update", remedy="Name a folder with --expected.")
    if update and expected is not None and expected.is_file():
        text = f"{str(expected)!r} is a file, and only a folder is written"
        raise UserError("replay.expected", text, remedy="Name a folder with --expected, then --update fills it.")
    if not update and expected is not None and not expected.exists():
        remedy = "Name what should come out, or write it with --update."
        raise UserError("replay.expected", f"There is no {str(expected)!r}", remedy=remedy)


def _case_folders(folder: Path, levels: int) -> Iterator[Path]:
    """Yield the folders that have a source; a data folder is never searched."""
    if (folder / _SOURCE).is_dir():
        yield folder
    elif levels and not any((folder / name).exists() for name in ("config.json", "config.yml", "in", "out")):
        for inner in folder.iterdir():
            if inner.is_dir() and not inner.name.startswith((".", "__")):
                yield from _case_folders(inner, levels - 1)


def _case(folder: Path, top: Path, *, update: bool) -> Case:
    name = folder.relative_to(top).as_posix() if folder != top else folder.name
    code = _expected_code(folder / EXPECTED_CODE)
    of_code_only = bool(code) or ((folder / EXPECTED_CODE).is_file() and not update)
    expected = folder / _EXPECTED
    compared = expected if expected.is_dir() or not of_code_only else None
    return Case(name, folder / _SOURCE, compared, code, placeholders=True, notes=tuple(_notes(folder)))


def _expected_code(path: Path) -> int:
    if not path.is_file():
        return 0
    text = path.read_text(encoding="utf-8", errors="replace").strip()
    if text.isascii() and text.isdigit() and len(text) <= 3 and int(text) in _CODES:
        return int(text)
    raise UserError("replay.expected", f"{str(path)!r} holds no exit code, but {text[:20]!r}")


def _notes(folder: Path) -> Iterator[str]:
    scripts = sorted({path.name for name in _SCRIPTS for path in folder.rglob(name)})
    if scripts:
        yield f"Not run: {', '.join(scripts)}. Bring about what they do before the replay."
    texts = [name for name in _OUTPUTS if (folder / name).exists()]
    if texts:
        yield f"Not compared: {', '.join(texts)}."
    cassettes = [path for path in (folder / "source").rglob("cassettes") if path.is_dir()]
    if cassettes:
        yield "Recorded HTTP traffic (cassettes) is left to the component: nothing here plays it back."
