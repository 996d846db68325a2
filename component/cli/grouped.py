"""A command with many options takes them in groups: a parameter that is a dataclass stands for all its fields."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command as typer takes it, with a parameter for each field of those that are dataclasses.

    A field has a type with its option (`Annotated`) and a default; its name is the option's. All names are distinct.
    """
    kinds = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in kinds.items() if is_dataclass(kind)}

    @wraps(command)
    def call(**given: Any) -> None:
        made = {
            name: kind(**{field.name: given.pop(field.name) for field in fields(kind)})  # type: ignore[operator] # a class
            for name, kind in groups.items()
        }
        command(**given, **made)

    parameters = [
        part
        for parameter in inspect.signature(command).parameters.values()
        for part in _parts(parameter, kinds[parameter.name])
    ]
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined] # what inspect.signature looks for first
    call.__annotations__ = {part.name: part.annotation for part in parameters}
    return call


def _parts(parameter: Parameter, kind: Any) -> list[Parameter]:
    if not is_dataclass(kind):
        return [parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=kind)]
    types = get_type_hints(kind, include_extras=True)
    return [
        Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=types[field.name])
        for field in fields(kind)
    ]
