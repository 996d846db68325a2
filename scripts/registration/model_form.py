"""From the models of `parameters` to the platform's forms: what both say is taken from the models' JSON Schema.

The dialect is that of the platform's editor (reference keboola 8.3): `propertyOrder`, short titles, `options`, blank
texts for what is not configured. Descriptions are the models' too; titles and widgets are in `words`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from component.config.schema import parameters_schema

Schema = dict[str, Any]
BLANK = ""
ORDER_STEP = 10


@dataclass(frozen=True, slots=True)
class Field:
    """How one field of a model is shown. `form` is merged over what the model says.

    The description is the model's, but of a field that is in no model.
    """

    title: str
    form: Mapping[str, Any] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Button:
    """A button that asks an action."""

    label: str
    action: str
    description: str


Shown = Mapping[str, Field | Button]
"""The fields of one model that are in the form, in their order."""


class Models:
    """The models' JSON Schema, with references followed."""

    def __init__(self) -> None:
        self._root = parameters_schema()

    def properties(self, model: str) -> dict[str, Schema]:
        """Return the properties of a model by their key in the document; `Parameters` is the root."""
        found = self._root if model == "Parameters" else self._root["$defs"][model]
        properties: dict[str, Schema] = found["properties"]
        return properties

    def is_required(self, model: str, key: str) -> bool:
        """Tell whether a model cannot do without a key."""
        found = self._root if model == "Parameters" else self._root["$defs"][model]
        return key in found.get("required", ())


def object_form(models: Models, model: str, shown: Shown, nested: Mapping[str, Schema] | None = None) -> Schema:
    """Return the form of a model: its shown fields, those of other models from `nested`."""
    properties: dict[str, Schema] = {}
    for position, (key, what) in enumerate(shown.items(), start=1):
        if isinstance(what, Button):
            form = _button(what)
        else:
            inner = (nested or {}).get(key)
            stated = models.properties(model).get(key, {})
            form = _field(stated, what) if inner is None else _described(copy.deepcopy(inner), stated, what)
        properties[key] = {**form, "propertyOrder": position * ORDER_STEP}
    required = [key for key, form in properties.items() if _is_always_there(form)]
    return {"type": "object", "required": required, "properties": properties}


def _is_always_there(form: Schema) -> bool:
    """Tell whether the form saves a field: no button has a value, and what depends on another field may be hidden."""
    return form.get("type") != "button" and "dependencies" not in form.get("options", {})


def _button(button: Button) -> Schema:
    return {
        "type": "button",
        "format": "test-connection" if button.action == "testConnection" else "sync-action",
        "title": button.label,
        "description": button.description,
        "options": {"async": {"label": button.label.upper(), "action": button.action}},
    }


def _field(stated: Schema, what: Field) -> Schema:
    form = _of_model(copy.deepcopy(stated), optional=stated.get("default", ...) is None)
    if "enum" in form:
        form["options"] = {"enum_titles": [what.titles.get(word, word) for word in form["enum"]]}
    return _described(form, stated, what)


def _described(form: Schema, stated: Schema, what: Field) -> Schema:
    options = {**form.get("options", {}), **what.form.get("options", {})}
    description = {"description": stated["description"]} if "description" in stated else {}
    merged = {**form, "title": what.title, **description, **what.form}
    if "async" in options and merged["type"] == "array":
        merged["items"] = {**merged["items"], "enum": []}  # filled by the action, in the platform's dialect
    return {**merged, "options": options} if options else merged


def _of_model(stated: Schema, *, optional: bool) -> Schema:
    """Return the form of a value: of several kinds the plain text or the list, and a blank one where it may be none."""
    kinds = [kind for kind in stated.get("anyOf", [stated]) if kind.get("type") != "null"]
    kind = next((one for one in kinds if one.get("type") == "array"), kinds[0])
    form = {key: value for key, value in kind.items() if key not in {"default", "description", "title"}}
    if form.get("type") == "array":
        return {**form, "default": [] if stated.get("default") is None else stated["default"]}
    if optional:
        return _or_blank(form)
    return {**form, **({"default": stated["default"]} if "default" in stated else {})}


def _or_blank(form: Schema) -> Schema:
    form.pop("minLength", None)
    if "pattern" in form:
        form["pattern"] = f"^$|{form['pattern']}"
    if "enum" in form:
        form["enum"] = [BLANK, *form["enum"]]
    return {**form, "default": BLANK}


def list_form(items: Schema, *, title: str, **more: Any) -> Schema:
    """Return the form of a list of objects; `title` names one of them."""
    return {"type": "array", "items": {**items, "title": title}, "default": [], **more}


def left_blank(form: Schema) -> Any:
    """Return what a form of an object saves when nothing is filled in; each required field has a default."""
    return {key: form["properties"][key]["default"] for key in form["required"]}
