"""Forms and models agree: what a form saves parses, and what a model has is in a form or on the written list."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from jsonschema import Draft7Validator
from pydantic import ValidationError

from component.actions.dispatch import ACTIONS
from component.config.blanks import without_blanks
from component.config.fields import SEVERAL
from component.config.load import parse_config
from component.config.parameters import Parameters
from component.errors import UserError
from scripts.registration import words
from scripts.registration.forms import SHOWN, config_form, row_form
from scripts.registration.model_form import Field, Models
from scripts.write_component_config import sample_row
from tests.strategies.forms import as_validated, filled_in, merged

ROOT, ROW = config_form(), row_form()
VALIDATORS = [Draft7Validator(as_validated(form)) for form in (ROOT, ROW)]
roots = filled_in(ROOT).filter(lambda root: root["store"]["url"] or not any(root["store"].values()))
rows = filled_in(ROW)


def fields(schema, path=()):
    """Every field of a form with its path, those of lists and objects included."""
    for key, form in schema.get("properties", {}).items():
        yield (*path, key), form
        yield from fields(form, (*path, key))
        yield from fields(form.get("items", {}), (*path, key))


ALL = [*fields(ROOT), *fields(ROW)]
BUTTONS = [(path, form) for path, form in ALL if form["type"] == "button"]


def faults_of_single_values(parameters):
    """What the model refuses, but for rules between values: no schema of a form can say those."""
    try:
        Parameters.model_validate(parameters)
    except ValidationError as error:
        return [detail for detail in error.errors() if detail["input"] != SEVERAL]
    return []


@pytest.mark.parametrize("form", [ROOT, ROW], ids=["configuration", "row"])
def test_a_form_is_a_schema(form):
    Draft7Validator.check_schema(as_validated(form))


@pytest.mark.parametrize(("path", "form"), ALL, ids=[".".join(path) for path, _ in ALL])
def test_a_default_is_what_the_form_itself_takes(path, form):
    if "default" in form:
        Draft7Validator(as_validated(form)).validate(form["default"])


@settings(max_examples=50)
@given(root=roots, row=rows)
def test_people_fill_in_what_the_form_allows(root, row):
    for validator, document in zip(VALIDATORS, (root, row), strict=True):
        validator.validate(document)


@settings(max_examples=100)
@given(root=roots, row=rows)
def test_a_row_laid_over_its_configuration_is_a_configuration(root, row):
    document = without_blanks({"parameters": merged(root, row)})
    assert faults_of_single_values(document["parameters"]) == []


def test_credentials_without_a_store_are_refused_by_name():
    with pytest.raises(UserError, match=r"parameters\.store\.url must not be empty"):
        parse_config({"parameters": {"store": {"url": "", "#access_key_id": "AKIA"}}})


def test_what_a_form_saves_at_first_is_a_default_everywhere():
    saved = {
        **sample_row()["datasets"][0],
        "tables": [{**sample_row()["datasets"][0]["tables"][0], "source": ""}],
        "secondary_indices": [],
        "sort_partitions_by": [],
    }
    config = parse_config({"parameters": {"store": {"url": "", "#access_key_id": ""}, "datasets": [saved]}})
    table = {"infer_types": False}  # a table of the platform comes with a manifest, so that is its default
    plain = parse_config({"parameters": {"datasets": [{"uuid": "airlines", "tables": [table]}]}})
    assert config.parameters == plain.parameters


@pytest.mark.parametrize("model", SHOWN)
def test_a_field_of_a_model_is_in_a_form_or_on_the_written_list(model):
    properties = set(Models().properties(model))
    shown = {key for key, what in SHOWN[model].items() if isinstance(what, Field)} - {*words.CREDENTIALS}
    expert = {key.split(".")[1] for key in words.EXPERT if key.startswith(f"{model}.")}
    assert shown | expert == properties
    assert not shown & expert


def test_the_written_list_gives_a_reason_for_each_field():
    assert all(len(reason) > 5 and not reason.endswith(".") for reason in words.EXPERT.values())
    assert {key.split(".")[0] for key in words.EXPERT} <= set(SHOWN)


@pytest.mark.parametrize("model", SHOWN)
def test_the_words_and_the_default_of_a_choice_are_the_models(model):
    form = next((one for one in forms_of(model)), {})
    for key, stated in Models().properties(model).items():
        words_there = form.get(key, {}).get("enum")
        if words_there:
            kinds = stated.get("anyOf", [stated])
            assert [word for word in words_there if word] == next(kind["enum"] for kind in kinds if "enum" in kind)
            assert (form[key]["default"] or None) == stated.get("default")
            assert len(form[key]["options"]["enum_titles"]) == len(words_there)


def forms_of(model):
    """The properties of the one form that shows a model."""
    places = {
        "StoreConfig": ROOT["properties"]["store"],
        "DatasetConfig": ROW["properties"]["datasets"]["items"],
        "OutputConfig": ROW["properties"]["outputs"]["items"],
    }
    places["TableConfig"] = places["DatasetConfig"]["properties"]["tables"]["items"]
    places["ColumnConfig"] = places["TableConfig"]["properties"]["columns"]["items"]
    if model in places:
        yield places[model]["properties"]


def test_a_root_form_and_a_row_form_share_no_list_that_would_be_merged_by_position():
    assert not set(ROOT["properties"]) & set(ROW["properties"])
    assert not [path for path, form in fields(ROOT) if form["type"] == "array"]


def test_what_a_form_asks_is_a_registered_action():
    asked = {form["options"]["async"]["action"] for _, form in ALL if "async" in form.get("options", {})}
    assert asked == set(ACTIONS)


def test_the_connection_is_tested_by_a_button_and_columns_are_loaded_for_selects():
    assert ROOT["properties"]["test_connection"]["options"]["async"]["action"] == "testConnection"
    selects = {path[-1] for path, form in ALL if form.get("format") == "select"}
    assert selects >= {"partition_on", "secondary_indices", "sort_partitions_by", "columns", "dataset"}


# --- the review checklist (reference keboola 8.4) ---


@pytest.mark.parametrize(("path", "form"), ALL, ids=[".".join(path) for path, _ in ALL])
def test_a_field_has_an_order_a_short_title_and_a_description(path, form):
    assert isinstance(form["propertyOrder"], int)
    assert 0 < len(form["title"]) <= 25
    assert form["title"].replace(" ", "").isalnum(), "no punctuation"
    assert form["title"][0].isupper()
    assert form["description"].endswith(".")


@pytest.mark.parametrize("form", [ROOT, ROW], ids=["configuration", "row"])
def test_the_orders_of_one_object_differ(form):
    for node in [form, *(one.get("items", one) for _, one in fields(form))]:
        orders = [one["propertyOrder"] for one in node.get("properties", {}).values()]
        assert orders == sorted(set(orders))


@pytest.mark.parametrize("form", [ROOT, ROW], ids=["configuration", "row"])
def test_every_field_that_is_always_saved_is_required(form):
    for node in [form, *(one.get("items", one) for _, one in fields(form))]:
        for key, one in node.get("properties", {}).items():
            is_free = one["type"] == "button" or "dependencies" in one.get("options", {})
            assert (key in node["required"]) != is_free, key


def test_secrets_are_password_fields_and_nothing_else_is():
    secrets = {path for path, form in ALL if path[-1].startswith("#")}
    assert secrets
    assert secrets == {path for path, form in ALL if form.get("format") == "password"}


def test_a_dependency_names_a_field_beside_it_that_can_have_the_value():
    for path, form in ALL:
        beside = {other[-1]: one for other, one in ALL if other[:-1] == path[:-1]}
        for key, value in form.get("options", {}).get("dependencies", {}).items():
            assert value in (beside[key].get("enum") or [True, False])


def test_the_forms_are_json_without_surprises():
    assert json.loads(json.dumps([ROOT, ROW], allow_nan=False)) == [ROOT, ROW]
