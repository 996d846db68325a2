"""The model of config.json: what the platform says, read leniently, and `parameters`, read strictly."""

from __future__ import annotations

from typing import Annotated, Any, Final, Self

from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from component.config import rules
from component.config.fields import refuse
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
from component.config.platform_fields import AnyObject, PhpList, Platform, Text
from component.config.storage import (
    ImageParameters,
    Input,
    InputColumn,
    InputFileMapping,
    InputTableMapping,
    Output,
    Storage,
)

__all__ = [
    "ColumnConfig",
    "Config",
    "DatasetConfig",
    "ImageParameters",
    "Input",
    "InputColumn",
    "InputFileMapping",
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


RUN: Final = "run"
"""The action of a job; every other is a synchronous one (reference keboola 1.7)."""


def _run_if_blank(value: Any) -> Any:
    """Take an empty action for a run, as keboola.component does."""
    return RUN if value == "" else value


class Config(Platform):
    """A whole config.json; what may hold secrets is never in its repr.

    `parameters` are complete: where they leave something open, `image_parameters` have been asked. `secrets` are all
    values of the document below keys that start with `#`, `warnings` what a person should know of the document.
    """

    storage: Storage = Storage()
    parameters: Parameters = Parameters()
    image_parameters: ImageParameters = Field(default=ImageParameters(), repr=False)
    authorization: AnyObject = Field(default_factory=dict, repr=False)
    action: Annotated[str, BeforeValidator(_run_if_blank)] = RUN
    shared_code_id: Text | None = None
    shared_code_row_ids: PhpList[Text] = ()
    variables_id: Text | None = None
    variables_values_id: Text | None = None
    artifacts: AnyObject = Field(default_factory=dict, repr=False)
    _secrets: frozenset[str] = PrivateAttr(default=frozenset())
    _warnings: tuple[str, ...] = PrivateAttr(default=())

    @property
    def secrets(self) -> frozenset[str]:
        """What must be in no text."""
        return self._secrets

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about the document."""
        return self._warnings

    def about(self, secrets: frozenset[str], warnings: tuple[str, ...]) -> Self:
        """Return the same configuration with what is known of its document."""
        found = self.model_copy()
        found._secrets, found._warnings = secrets, warnings  # noqa: SLF001 - of the same class
        return found

    @model_validator(mode="after")
    def _defaults_of_the_operator(self) -> Self:
        merged = _with_defaults(self.parameters, self.image_parameters)
        if merged.store is None:
            read = tuple(output.dataset for output in merged.outputs)
            uuids = tuple(dict.fromkeys(u for one in merged.datasets for u in (one.uuid, *one.stored_uuids)))
            refuse((("parameters", *steps), error) for steps, error in rules.unknown_datasets(read, uuids))
        self.__dict__["parameters"] = merged  # the model is frozen, and not yet in anybody's hands
        return self


def _with_defaults(parameters: Parameters, image: ImageParameters) -> Parameters:
    """Fill what `parameters` leave open from the operator's.

    A store is taken as a whole: the operator's credentials are never sent to a URL that the user wrote.
    """
    mine, theirs = parameters.spark, image.spark
    named = {**_named(theirs), **_named(mine), "conf": {**theirs.conf, **mine.conf}}
    return parameters.model_copy(
        update={
            "store": parameters.store or image.store,
            "spark": SparkConfig.model_validate(named),
            "limits": LimitsConfig.model_validate({**_named(image.limits), **_named(parameters.limits)}),
        }
    )


def _named(model: SparkConfig | LimitsConfig) -> dict[str, object]:
    return {name: getattr(model, name) for name in model.model_fields_set}
