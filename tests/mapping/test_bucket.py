from __future__ import annotations

import pytest

from component.errors import UserError
from component.mapping.platform.model import RefusedError
from component.mapping.rules.bucket import ComponentBucket, default_bucket

COMPONENT = ComponentBucket("test-component")


@pytest.mark.parametrize(
    ("configured", "component", "bucket"),
    [
        (None, None, None),
        ("", None, None),
        ("0", None, None),
        (None, COMPONENT, "in.c-test-component-test-config-id"),
        ("", COMPONENT, "in.c-test-component-test-config-id"),
        ("in.c-custom-bucket", COMPONENT, "in.c-custom-bucket"),
        ("in.c-custom-bucket", None, "in.c-custom-bucket"),
    ],
)
def test_the_configured_bucket_comes_before_the_components(configured, component, bucket):
    assert default_bucket(configured, component, "test-config-id") == bucket


def test_the_component_id_is_cleaned_and_the_stage_is_the_components():
    assert default_bucket(None, ComponentBucket("keboola.ex_db.š", "out"), "1.2") == "out.c-keboola-ex-db---1.2"


@pytest.mark.parametrize("config_id", [None, "", "0"])
def test_the_components_bucket_needs_a_configuration(config_id):
    with pytest.raises(RefusedError) as caught:
        default_bucket(None, COMPONENT, config_id)
    assert caught.value.error.code == "mapping.no_configuration"
    assert caught.value.error.text == "Configuration ID not set, but is required for default_bucket option."
    assert isinstance(caught.value, UserError)
    assert caught.value.code == "mapping.failed"
    assert default_bucket("in.c-x", COMPONENT, config_id) == "in.c-x"
