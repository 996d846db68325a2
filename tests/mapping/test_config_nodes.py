from __future__ import annotations

import pytest

from component.mapping.options.nodes import AnythingNode, BooleanNode, ListNode, NodeError, RecordNode, ScalarNode
from component.mapping.platform.values import platform_value

COLOURS = ScalarNode(choices=("red", "green"))
PAIR = RecordNode({"key": ScalarNode(), "value": ScalarNode()})


def process(node, value):
    return node.finalize(node.normalize(value, "root"), "root")


def refused(node, value):
    with pytest.raises(NodeError) as caught:
        process(node, value)
    return caught.value.code, str(caught.value)


@pytest.mark.parametrize("value", ["a", 1, 1.5, True, None, ""])
def test_a_scalar_takes_every_value_but_arrays(value):
    assert process(ScalarNode(), value) == value


def test_a_scalar_refuses_arrays():
    assert refused(ScalarNode(), []) == (
        "mapping.node.type",
        'Invalid type for path "root". Expected "scalar", but got "array".',
    )


@pytest.mark.parametrize(("value", "shown"), [(None, "null"), ("", '""')])
def test_a_filled_scalar_refuses_nothing(value, shown):
    text = f'The path "root" cannot contain an empty value, but got {shown}.'
    assert refused(ScalarNode(filled=True), value) == ("mapping.node.empty", text)


@pytest.mark.parametrize("value", [0, False, "0"])
def test_a_filled_scalar_takes_zero_and_false(value):
    assert process(ScalarNode(filled=True), value) == value


@pytest.mark.parametrize(("value", "shown"), [("blue", '"blue"'), (None, "null"), (1, "1")])
def test_a_choice_names_the_choices(value, shown):
    code, text = refused(COLOURS, value)
    assert code == "mapping.node.choice"
    assert text.startswith(f'The value {shown} is not allowed for path "root". Permissible values: "red", "green"')


def test_null_is_true_for_a_boolean():
    assert process(BooleanNode(default=False), None) is True


@pytest.mark.parametrize(
    ("value", "kind"), [(1, "int"), (0, "int"), ("true", "string"), ("", "string"), ([], "array"), (1.0, "float")]
)
def test_a_boolean_is_strict(value, kind):
    assert refused(BooleanNode(), value)[1] == f'Invalid type for path "root". Expected "bool", but got "{kind}".'


@pytest.mark.parametrize("value", [None, "a", [1], {"a": {}}])
def test_anything_goes(value):
    assert process(AnythingNode(), value) == value


@pytest.mark.parametrize("value", [None, True, [], {}])
def test_null_and_true_are_empty_arrays(value):
    assert process(ListNode(ScalarNode()), value) == []
    assert process(PAIR, value) == []


@pytest.mark.parametrize(("value", "kind"), [(False, "bool"), ("a", "string"), (0, "int")])
def test_arrays_refuse_other_values(value, kind):
    text = f'Invalid type for path "root". Expected "array", but got "{kind}"'
    assert refused(ListNode(ScalarNode()), value)[1] == text
    assert refused(PAIR, value)[1] == text


def test_items_are_named_by_their_place():
    assert refused(ListNode(PAIR), [{"key": "a"}, {"key": []}])[1].startswith('Invalid type for path "root.1.key".')


def test_a_list_keeps_keys_that_are_not_a_sequence():
    assert process(ListNode(ScalarNode()), {"a": 1, "b": 2}) == {"a": 1, "b": 2}


def test_defaults_fill_absent_options_only():
    node = RecordNode({"on": BooleanNode(default=True), "names": ListNode(ScalarNode()), "text": ScalarNode()})
    assert process(node, {"text": None}) == {"on": True, "names": [], "text": None}


def test_defaults_are_not_shared():
    node = RecordNode({"names": ListNode(ScalarNode())})
    process(node, [])["names"].append("x")
    assert process(node, []) == {"names": []}


def test_a_required_option_is_missed():
    node = RecordNode({"name": ScalarNode(required=True)})
    assert refused(node, {}) == ("mapping.node.required", 'The child config "name" under "root" must be configured.')


def test_unknown_options_are_listed_with_the_known_ones():
    assert refused(PAIR, {"other": 1}) == (
        "mapping.node.unknown",
        'Unrecognized option "other" under "root". Available options are "key", "value".',
    )
    assert refused(PAIR, {"some": 1, "thing": 1})[1].startswith('Unrecognized options "some, thing" under "root".')


def test_near_misses_are_guessed():
    assert refused(PAIR, {"keys": 1})[1] == 'Unrecognized option "keys" under "root". Did you mean "key"?'
    assert refused(PAIR, {"vale": 1, "kex": 1})[1].endswith('Did you mean "value", "key"?')


def test_a_wrong_type_is_found_before_an_unknown_option():
    assert refused(PAIR, {"other": 1, "key": []})[0] == "mapping.node.type"


def test_options_are_completed_in_the_order_of_the_definition():
    node = RecordNode({"one": ScalarNode(filled=True), "two": ScalarNode(filled=True)})
    assert '"root.one"' in refused(node, {"two": "", "one": ""})[1]


def test_dashes_stand_for_underscores_unless_both_are_there():
    node = RecordNode({"primary_key": ScalarNode()})
    assert process(node, {"primary-key": "a"}) == {"primary_key": "a"}
    assert 'Unrecognized option "primary-key"' in refused(node, {"primary-key": "a", "primary_key": "b"})[1]
    assert 'Unrecognized option "primary-key_"' in refused(node, {"primary-key_": "a"})[1]


def test_unknown_options_may_be_kept():
    assert process(RecordNode({}, keep_unknown=True), {"x": 1}) == {"x": 1}


class TestKeyAttribute:
    node = ListNode(ListNode(ScalarNode()), key_attribute="name", keep_dashes=True)

    def test_keys_are_kept_as_they_are(self):
        assert process(self.node, {"a-b": ["x"], "2": ["y"]}) == {"a-b": ["x"], "2": ["y"]}

    def test_a_plain_list_is_refused(self):
        assert refused(self.node, [["x"]]) == (
            "mapping.node.attribute",
            'The attribute "name" must be set for path "root".',
        )
        assert refused(self.node, platform_value({"0": ["x"]}))[0] == "mapping.node.attribute"

    def test_the_attribute_becomes_the_key(self):
        assert process(self.node, [{"name": "a", "0": "x"}]) == {"a": ["x"]}
        assert process(self.node, [{"name": 5, "value": ["x"]}]) == {"5": ["x"]}

    def test_a_key_twice_is_refused(self):
        assert refused(self.node, [{"name": "a", "0": "x"}, {"name": "a", "0": "y"}])[1] == (
            'Duplicate key "a" for path "root".'
        )

    def test_an_attribute_that_is_no_key_is_refused(self):
        assert refused(self.node, {"a": {"name": ["x"]}})[0] == "mapping.node.offset"
