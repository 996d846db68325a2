"""What a form leaves blank is not configured: the platform's forms save every field, an empty one as an empty text.

Only fields that may be left out altogether are taken so; an empty text elsewhere is a value, right or wrong.
"""

from __future__ import annotations

from typing import Any, get_args, get_origin

from pydantic import BaseModel

from component.config.parameters import Parameters


def without_blanks(document: Any) -> Any:
    """Return a config.json without the blank fields of its `parameters`; anything that is none, as it is."""
    if not isinstance(document, dict) or not isinstance(document.get("parameters"), dict):
        return document
    return {**document, "parameters": _filled_in(document["parameters"], Parameters)}


def _filled_in(value: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    kept = {}
    for key, item in value.items():
        field = fields.get(key)
        if field is None or field.is_required() or field.default is not None or not is_blank(item):
            kept[key] = item if field is None else _inside(item, field.annotation)
    return kept


def _inside(item: Any, annotation: Any) -> Any:
    """Return the value of a field, its objects filled in: a model's own, or those in a list of them."""
    model = _model_in(annotation)
    if model is None:
        return item
    if isinstance(item, list):
        return [_filled_in(one, model) if isinstance(one, dict) else one for one in item]
    if isinstance(item, dict) and not _is_list(annotation):
        return _filled_in(item, model)
    return item


def is_blank(item: Any) -> bool:
    """Tell whether a field was left blank: an empty text, or an object of nothing else."""
    return item == "" or (isinstance(item, dict) and bool(item) and all(map(is_blank, item.values())))


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def _is_list(annotation: Any) -> bool:
    return any(get_origin(one) is tuple for one in (annotation, *get_args(annotation)))
