"""The model of config.json: what the platform says, read leniently, and `parameters`, read strictly."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from component.config.environment import DataTypeSupport
from component.config.fields import Lenient, empty_list_as_object
from component.config.parameters import (
    ColumnConfig,
    DatasetConfig,
    LimitsConfig,
    OutputConfig,
    Parameters,
    SparkConfig,
    StoreConfig,
    TableConfig,
)

__all__ = [
    "ColumnConfig",
    "Config",
    "DatasetConfig",
    "Input",
    "InputTableMapping",
    "LimitsConfig",
    "Output",
    "OutputConfig",
    "Parameters",
    "SparkConfig",
    "Storage",
    "StoreConfig",
    "TableConfig",
]

AnyObject = Annotated[dict[str, Any], BeforeValidator(empty_list_as_object)]


class InputTableMapping(Lenient):
    """One input table mapping; the file in in/tables has the name `destination`, or else `source`."""

    source: str | None = None
    destination: str | None = None
    columns: tuple[str, ...] = ()


class Input(Lenient):
    """`storage.input`: what the platform put into in/."""

    tables: tuple[InputTableMapping, ...] = ()
    files: tuple[AnyObject, ...] = ()


class Output(Lenient):
    """`storage.output`: what the platform will do with out/. Mappings are raw: the mapping room interprets them."""

    tables: tuple[AnyObject, ...] = ()
    files: tuple[AnyObject, ...] = ()
    default_bucket: str | None = None
    data_type_support: DataTypeSupport | None = None


class Storage(Lenient):
    """Input and output mapping (reference keboola 1.2)."""

    input: Input = Input()
    output: Output = Output()


class Config(Lenient):
    """A whole config.json; what may hold secrets is never in its repr."""

    storage: Storage = Storage()
    parameters: Parameters = Parameters()
    image_parameters: AnyObject = Field(default_factory=dict, repr=False)
    authorization: AnyObject = Field(default_factory=dict, repr=False)
    action: str = "run"
