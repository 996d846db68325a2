"""Each command of `tablemill dataset` stands for one operation of the Python API, and says of it what that says."""

from __future__ import annotations

import ast
import datetime as dt
import inspect
from pathlib import Path

import typer

import tablemill
from component import naming
from component.cli.dataset.commands import BY_NAME, COMMANDS, app
from component.cli.dataset.options import names_in

CLI = Path(__file__).parents[2] / "component" / "cli" / "dataset"
OPERATIONS = {
    f"Dataset.{name}": method
    for name, method in inspect.getmembers(tablemill.Dataset, inspect.isfunction)
    if not name.startswith("_")
} | {name: getattr(tablemill, name) for name in tablemill.__all__ if inspect.isfunction(getattr(tablemill, name))}
WITHOUT_COMMAND = {
    "Dataset.batches": "query reads by it; its own form is Dataset.read's",
    "Dataset.explain": "an option of query",
    "Dataset.dispatch": "groups are handed to a program, not printed",
    "Dataset.load": "a command opens a dataset anew",
    "Dataset.refresh": "a command opens a dataset anew",
    "Dataset.sums": "show and history print them",
    "Dataset.rows_deleted": "every deletion says it",
    "Dataset.rebuild": "build-index of all columns that have one",
    "open": "every command does",
    "datasets": "the uuids of listing, which ls prints",
    "cubes": "ls prints them",
    "open_cube": "query does for STORE/PREFIX++",
    "repair": "verify --repair",
    "create": "a run creates datasets; rows of a file have no configuration",
    "convert": "a command of its own",
}
OF_COMMANDS = {
    "dataset": "the address of the handle",
    "table": "an option of the handle",
    "as_of": "an option of the handle",
    "master": "the spark of the handle",
    "output": "how an answer is printed",
    "yes": "a question to a person",
    "where": "predicates as people write them",
    "limit": "how many rows query prints",
    "write_to": "where query writes to",
    "explain": "calls Dataset.explain",
    "datasets": "an option of Cube.read",
    "fast": "of stats: no columns",
}
"""Options that no operation takes, or takes for itself: then it is compared."""
NAMES = {"file": "rows", "scope": "delete_scope", "column": "name", "type_": "data_type", "target_mb": "target_bytes"}
"""Options that the operation calls by another name."""
ONE_SIDED = {
    "delete-rows predicates": "or --where",
    "replace-partitions scope": "without one a command would replace what a file happens to hold",
    "set values": "or --unset",
}
"""Options that one side must be given and the other need not be."""
IN_PYTHON = {
    "target_mb": lambda megabytes: megabytes * naming.MIB,
    "min_age": lambda hours: dt.timedelta(hours=hours),
    "sort_by": names_in,
    "key": names_in,
    "unset": lambda keys: tuple(keys or ()),
}
"""What the word of an option is in Python."""
EMPTY = inspect.Parameter.empty


def parameters(function):
    return {name: one for name, one in inspect.signature(function).parameters.items() if name != "self"}


def counterparts():
    """Each option of each command, and the parameter of its operation; None where there is none."""
    for command in BY_NAME.values():
        theirs = parameters(OPERATIONS[command.operation])
        for name, option in parameters(command.call).items():
            yield command.name, option, theirs.get(NAMES.get(name, name))


def test_every_operation_has_a_command_or_a_reason_to_have_none():
    called = {command.operation for command in BY_NAME.values()}
    assert {*called, *WITHOUT_COMMAND} == set(OPERATIONS)
    assert called & set(WITHOUT_COMMAND) == set()


def test_every_option_is_a_parameter_of_the_operation_or_has_a_reason_to_be_none():
    alone = {option.name for _, option, theirs in counterparts() if theirs is None}
    assert alone == set(OF_COMMANDS)


def test_defaults_agree():
    one_sided, differing = set(), []
    for name, option, theirs in counterparts():
        if theirs is None or theirs.kind is inspect.Parameter.VAR_POSITIONAL:
            continue
        if EMPTY in {option.default, theirs.default}:
            one_sided |= {f"{name} {option.name}"} if option.default is not theirs.default else set()
        elif IN_PYTHON.get(option.name, lambda value: value)(option.default) != theirs.default:
            differing.append((name, option.name, option.default, theirs.default))
    assert differing == []
    assert one_sided == set(ONE_SIDED)


def test_fast_numbers_are_those_without_columns():
    fast = parameters(BY_NAME["stats"].call)["fast"].default
    assert parameters(tablemill.Dataset.stats)["columns"].default is not fast


def test_the_help_of_a_command_begins_with_the_docstring_of_its_operation():
    shown = typer.main.get_command(app).commands
    assert list(shown) == [command.name for commands in COMMANDS.values() for command in commands]
    for name, command in shown.items():
        does = inspect.getdoc(OPERATIONS[BY_NAME[name].operation]).split("\n\n")[0]
        assert command.help.startswith(does)
        assert "Error" not in command.help
        assert "column.missing" not in command.help


def test_no_command_calls_an_operation_past_the_python_api():
    """What they import of datasets says how words are read and answers printed."""
    allowed = {
        "component.dataset.format.address": {"open_address"},
        "component.dataset.format.history": {"named_state"},
        "component.dataset.reading.cube": {"SEPARATOR"},
        "component.dataset.reading.question": {"parse_question"},
    }
    for path in CLI.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("component.dataset"):
                assert {alias.name for alias in node.names} <= allowed.get(str(node.module), set()), path.name
