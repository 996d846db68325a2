"""Every command of every page, typed as it stands, in a copy of the repository with the environment that a reader has.

A page is covered by being there: commands stand in fences marked `sh`, each page is run from top to bottom in a folder
of its own, and the first command that fails is named. `UNTRIED` says what cannot run here, and why. The tutorial is
held to what it shows, too: a fence marked `text` behind commands has lines that they print, in order.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import openpyxl
import pytest

pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "docs" / "tutorial.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(\S*bin/)?tablemill ", re.MULTILINE)
UNTRIED = {
    r"^git clone |^cd tablemill$": "the copy of the repository is here, and there is no network",
    r"^make ": "the targets are what runs these tests, and setting up takes minutes",
    r"^docker ": "there is no container engine",
    r"--image ": "there is no container engine",
    r"s3://|https?://": "there is no bucket and no network",
    r"^(uv|pipx|pip) ": "installing needs the network",
    r"--install-completion": "it writes into the shell's start-up files",
    r" -- python ": "it runs a program of the reader's",
}
SECONDS = 600  # a page may take that long where the machine is shared; it needs 40 s of CPU at most


def commands(page: Path) -> list[str]:
    """The commands of a page; one that goes on in the next line is one."""
    fences = [text for kind, text in FENCE.findall(page.read_text(encoding="utf-8")) if kind == "sh"]
    lines = [line for text in fences for line in text.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.strip() and not line.startswith("#")]


def tried(page: Path) -> list[str]:
    return [line for line in commands(page) if not any(re.search(pattern, line) for pattern in UNTRIED)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_stand_in_fences_that_are_run(page):
    others = [text for kind, text in FENCE.findall(page.read_text(encoding="utf-8")) if kind not in {"sh", "text"}]
    assert [text for text in others if COMMAND.search(text)] == [], "mark the fence as sh, or a synopsis as text"
    bare = [line for line in tried(page) if line.startswith("tablemill ")]
    assert bare == [], "write .venv/bin/tablemill, which can be typed after `make setup`"


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> dict[str, str]:
    """What a shell has in which nothing was activated."""
    path = [part for part in os.environ.get("PATH", os.defpath).split(os.pathsep) if ".venv" not in part]
    kept = {name: os.environ[name] for name in ("JAVA_HOME", "LANG") if name in os.environ}
    home = tmp_path_factory.mktemp("home")
    return {**kept, "PATH": os.pathsep.join(path), "HOME": str(home), "TMPDIR": str(home), "COLUMNS": "80"}


def most_slices(folder: str, names: list[str]) -> list[str]:
    """Leave out most of the flights: what happens to all of them is tested elsewhere."""
    return sorted(names)[1:] if folder.endswith("in/tables/flights.csv") else []


@pytest.fixture(scope="module")
def prepared(tmp_path_factory, environment) -> Path:
    """What a reader has after `make run` and files of their own, and all that the README says to do with them."""
    folder = tmp_path_factory.mktemp("reader")
    shutil.copytree(ROOT / "data-sample", folder / "data-sample", ignore=most_slices)
    shutil.copytree(folder / "data-sample", folder / "build" / "data")
    example = re.search(r"```json\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert example
    (folder / "build/data/config.json").write_text(example[1])
    (folder / ".venv").symlink_to(ROOT / ".venv", target_is_directory=True)
    mine = folder / "mydata"
    mine.mkdir()
    planes = (folder / "data-sample/in/tables/planes.csv").read_bytes()
    (mine / "planes.csv").write_bytes(planes)
    (mine / "planes.csv.gz").write_bytes(gzip.compress(planes, mtime=0))
    (mine / "orders.json").write_text(json.dumps([{"id": 1, "city": "Brno"}, {"id": 2, "city": "Praha"}]))
    book = openpyxl.Workbook()
    for row in (["id", "price"], [1, 77.46], [2, 1.5]):
        book.active.append(row)
    book.save(mine / "book.xlsx")
    run(environment, folder, tried(PAGES[0]))
    return folder


def run(environment: dict[str, str], folder: Path, page: list[str]) -> str:
    ended = subprocess.run(
        ["bash", "-e", "-u", "-x", "-o", "pipefail", "-c", "\n".join(page)],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 0, f"{ended.stdout[-2000:]}\n{ended.stderr[-3000:]}"
    return ended.stdout


def test_every_command_of_the_readme_runs_as_it_stands(prepared):
    assert (prepared / "build/data/store/flights.by-dataset-metadata.json").exists()
    assert (prepared / "build/data/out/tables/late_from_newark.manifest").exists()


@pytest.mark.parametrize(
    "page", [page for page in PAGES[1:] if tried(page) and page != TUTORIAL], ids=lambda page: page.stem
)
def test_every_command_of_a_page_runs_as_it_stands(page, prepared, environment, tmp_path):
    folder = tmp_path / "reader"
    shutil.copytree(prepared, folder, symlinks=True)
    run(environment, folder, tried(page))


def shown(page: Path) -> list[tuple[list[str], list[str]]]:
    """The commands of each fence of a page, and the lines that the next fence shows of what they print."""
    fences = FENCE.findall(page.read_text(encoding="utf-8"))
    after = [text.splitlines() if kind == "text" else [] for kind, text in fences[1:]] + [[]]
    return [(text.splitlines(), lines) for (kind, text), lines in zip(fences, after, strict=True) if kind == "sh"]


def missing(lines: list[str], printed: str) -> list[str]:
    """The lines that are not printed in their order; `…` stands for any text."""
    rest = iter(printed.splitlines())
    patterns = [(line, re.escape(line).replace("…", ".*")) for line in lines]
    return [line for line, pattern in patterns if not any(re.fullmatch(pattern, one.rstrip()) for one in rest)]


def test_the_tutorial_can_be_typed_and_prints_what_it_shows(environment, tmp_path):
    (tmp_path / ".venv").symlink_to(ROOT / ".venv", target_is_directory=True)
    for typed, lines in shown(TUTORIAL):
        if any(re.search(pattern, line) for line in typed for pattern in UNTRIED):
            continue
        assert missing(lines, run(environment, tmp_path, typed)) == []


def test_a_line_that_is_not_printed_or_not_in_its_place_is_named():
    assert missing(["a …", "c"], "a 1\nb\nc\n") == []
    assert missing(["c", "b"], "a 1\nb\nc\n") == ["b"]
    assert missing(["a"], "a 1\n") == ["a"]
