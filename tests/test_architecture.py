"""The house, held by tests: where imports point, which codes errors have, what the command line loads."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from component import errors

ROOT = Path(__file__).parents[1]
ROOMS = [
    {"__main__"},
    {"cli"},
    {"tablemill"},
    {"replay", "actions", "convert"},
    {"check"},
    {"runner"},
    {"report"},
    {"outputs"},
    {"spark"},
    {"plan"},
    {"records", "workbench"},
    {"dataset"},
    {"formats"},
    {"mapping"},
    {"folder"},
    {"staging"},
    {"store"},
    {"tables"},
    {"config"},
    {"naming", "errors", "findings", "clock", "identity", ""},
    {"file_types"},
]
"""From the highest to the lowest, as in docs/design.md; "" is the package itself, which holds the version.

`tablemill` is the Python API: the command line stands on it, and it knows nothing of the command line.
"""
PARTS = {
    "workbench": ["frames", "cache", "conversion", "parse", "files", "rules", "render", "tables"],
    "dataset": ["verification", "changes", "commits", "reading", "indices", "files", "format"],
    "spark": ["jobs", "datasource"],
    "report": ["results", "messages", "words"],
    "mapping": ["jobs", "findings", "rules", "options", "platform"],
}
"""Rooms with rooms of their own, these too from the highest to the lowest."""
HEIGHT = {room: len(ROOMS) - level for level, rooms in enumerate(ROOMS) for room in rooms}
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("component", "tablemill")
    for path in sorted((ROOT / package).rglob("*.py"))
}
CARRIED = {"py4j": "pyspark", "pydantic_core": "pydantic"}
"""Packages that another one pins and speaks through: declaring them apart could only contradict it."""
LOOKED_FOR = {"backports.zstd", "cramjam", "psutil"}
"""Packages that fastavro and pyspark use when they are there (docs/dependencies.md)."""


@cache
def tree(module):
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def room(module):
    package, *rest = module.split(".")
    return package if package == "tablemill" else (*rest, "")[0]


def imported(nodes):
    """The names of modules that import statements name, `from component import clock` included."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


def own(names):
    return {name for name in names if name in MODULES}


def loaded_with(module):
    """What is imported when the module is: statements inside of functions run later."""
    waiting = list(tree(module).body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            waiting.extend(ast.iter_child_nodes(node))


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_down(module):
    assert room(module) in HEIGHT, f"{room(module)} is not a room: name it in ROOMS and in docs/design.md"
    for name in own(imported(ast.walk(tree(module)))):
        same = room(name) == room(module)
        assert same or HEIGHT[room(name)] < HEIGHT[room(module)], f"{module} imports {name}, which is not below it"


@pytest.mark.parametrize("module", [module for module in MODULES if room(module) in PARTS and module.count(".") > 2])
def test_imports_point_down_within_a_room_of_rooms(module):
    parts = PARTS[room(module)]
    here = parts.index(module.split(".")[2])
    for name in own(imported(ast.walk(tree(module)))):
        if room(name) == room(module) and name.count(".") > 2:
            assert parts.index(name.split(".")[2]) >= here, f"{module} imports {name}, which is above it"


def test_no_modules_wait_for_each_other():
    graph = {module: own(imported(loaded_with(module))) - {module} for module in MODULES}
    TopologicalSorter(graph).prepare()  # CycleError names the modules of a cycle


def test_what_is_imported_is_declared_and_what_is_declared_is_imported():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [entry for entries in project["optional-dependencies"].values() for entry in entries]
    names = {entry.split(">")[0] for entry in [*project["dependencies"], *extras]}
    outside = {name.split(".")[0] for module in MODULES for name in imported(ast.walk(tree(module)))}
    outside -= {*sys.stdlib_module_names, "component", "tablemill"}
    packages = {CARRIED.get(name, name).lower() for top in outside for name in packages_distributions()[top]}
    assert packages | LOOKED_FOR == names


def raised_codes(module):
    """The codes that errors of ours are made with; both of a choice."""
    classes = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in classes and node.args:
            code = node.args[0]
            choices = [code.body, code.orelse] if isinstance(code, ast.IfExp) else [code]
            yield from (choice.value for choice in choices if isinstance(choice, ast.Constant))


@pytest.mark.parametrize("module", MODULES)
def test_every_raised_code_is_known(module):
    assert set(raised_codes(module)) <= set(errors.CODES)


def test_every_known_code_is_used():
    texts = {
        node.value
        for module in MODULES
        if module != "component.errors"
        for node in ast.walk(tree(module))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(errors.CODES) <= texts


def test_raised_codes_are_found():
    assert len({code for module in MODULES for code in raised_codes(module)}) > len(errors.CODES) / 2


def test_imports_inside_of_functions_are_seen():
    module = "component.formats.typed"
    lazy = own(imported(ast.walk(tree(module)))) - own(imported(loaded_with(module)))
    assert lazy == {f"component.formats.{name}" for name in ("parquet", "avro", "arrow_ipc", "json_lines")}


PLAIN_RUN = """
import sys
from pathlib import Path
from component.cli import run
from component.config.environment import Environment
from component.config.load import load_config
from component.folder.layout import DataFolder
from component.plan.splits import reader_of, splits_of
from component.runner.predict import foresee
from component.runner.run import build_plan, find_sources
from component.spark.engine import Engine

data = Path(sys.argv[1])
config, folder = load_config(data), DataFolder(data)
sources, _ = find_sources(folder)
plan = build_plan(config, sources)
assert splits_of(sources[0], plan.limits, 2) and reader_of(sources[0], plan.datasets[0].schema, reject=False)
foresee(folder, config, Environment.from_variables({}, data)).made().accepted()
print(*sorted(sys.modules))
"""
"""All that a run of a CSV table does before and beside Spark: what it loads is what a run loads."""
UNUSED = {
    *("component.workbench", "component.records", "component.formats.delimited", "component.formats.detect"),
    *(f"component.formats.{name}" for name in ("parquet", "avro", "arrow_ipc", "json_lines")),
    *(f"component.mapping.rules.{name}" for name in ("seed", "y2017")),
    *(f"component.dataset.changes.{name}" for name in ("upsert", "rewrite", "carrying", "known_keys", "column_edits")),
    *("component.dataset.commits.garbage", "component.runner.records_outputs", "component.spark.datasource"),
    *("fastavro", "chardet", "openpyxl", "obstore", "rich"),
}
MOST_MODULES = 250


def test_a_run_of_plain_csv_loads_what_it_uses(tmp_path):
    (tmp_path / "in" / "tables").mkdir(parents=True)
    (tmp_path / "in" / "tables" / "t.csv").write_text("id,amount\n1,2.5\n", encoding="utf-8")
    (tmp_path / "in" / "tables" / "t.csv.manifest").write_text('{"primary_key": ["id"]}', encoding="utf-8")
    (tmp_path / "config.json").write_text('{"parameters": {}}', encoding="utf-8")
    program = [sys.executable, "-c", PLAIN_RUN, str(tmp_path)]
    loaded = set(subprocess.run(program, capture_output=True, text=True, check=True).stdout.split())
    assert loaded & UNUSED == set()
    assert len({name for name in loaded if room(name) and name.startswith("component.")}) <= MOST_MODULES


def test_workers_load_no_models_of_the_configuration():
    program = "import sys, component.spark.daemon, component.spark.jobs.slices; print(*sorted(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"pydantic", "component.config.model"} & set(ended.stdout.split()) == set()


def test_the_command_line_answers_without_loading_spark_or_pandas():
    program = "import sys, component.cli.main; print(*sorted(sys.modules))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"pyspark", "py4j", "pandas", "pyarrow", "numpy"} & set(ended.stdout.split()) == set()
