from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.report.words.masking import HIDDEN, SHORT, Masking, printable

secrets = st.text(min_size=SHORT, max_size=12)
FORMS = {
    "plain": lambda secret: secret,
    "json": json.dumps,
    "json of PHP": lambda secret: json.dumps(secret).replace("/", "\\/"),
    "json without escapes": lambda secret: json.dumps(secret, ensure_ascii=False),
    "base64": lambda secret: base64.b64encode(secret.encode("utf-8", "surrogatepass")).decode(),
    "base64 for URLs": lambda secret: base64.urlsafe_b64encode(secret.encode("utf-8", "surrogatepass")).decode(),
    "percent": lambda secret: quote(secret.encode("utf-8", "surrogatepass"), safe=""),
    "repr": repr,
}


@st.composite
def texts_with_secrets(draw):
    hidden = draw(st.lists(secrets, min_size=1, max_size=4, unique=True))
    forms = st.sampled_from([form(secret) for secret in hidden for form in FORMS.values()])
    parts = draw(st.lists(st.one_of(st.text(max_size=8), forms, forms.map(lambda form: form[1:])), max_size=8))
    return hidden, "".join(parts)


@given(texts_with_secrets())
def test_no_form_of_a_secret_is_left_in_a_text(case):
    hidden, text = case
    left = Masking(hidden)(text).split(HIDDEN)
    for secret in hidden:
        for form in (secret, json.dumps(secret)[1:-1], FORMS["base64"](secret), FORMS["percent"](secret)):
            assert not any(printable(form) in piece for piece in left)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("secret", ["top/secret", "päß?", 'a"b\\c', "two\nlines", "1", "x/?"])
def test_each_form_is_replaced_and_the_rest_stays(form, secret):
    assert Masking([secret])(f"<{form(secret)}>") in (f"<{HIDDEN}>", f'<"{HIDDEN}">', f"<'{HIDDEN}'>")


def test_secrets_that_overlap_are_hidden_as_one():
    assert Masking(["abcd", "cdef"])("<abcdef>") == "<[hidden]>"


def test_an_empty_secret_hides_nothing():
    assert Masking([""])("text") == "text"


@given(st.text())
def test_without_secrets_only_what_cannot_be_shown_changes(text):
    assert Masking()(text) == printable(text)


@given(st.text())
def test_a_printable_text_encodes_and_has_no_control_characters(text):
    shown = printable(text)
    shown.encode("utf-8")
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in shown if char not in "\t\n")


def test_control_characters_are_written_out():
    assert printable("\x1b[2J\r\0\x9b ok\n") == "\\x1b[2J\\x0d\\x00\\x9b ok\n"


def test_of_a_password_that_travels_as_base64_with_the_name_of_its_user_nothing_is_left():
    for user in ("u", "ab", "admin", "somebody"):
        header = base64.b64encode(f"{user}:correct-horse-battery".encode()).decode()
        shown = Masking(["correct-horse-battery"])(f"Authorization: Basic {header}")
        assert HIDDEN in shown
        left = "".join(shown.split(" ")[2].split(HIDDEN))
        assert len(left) < len(header) - 20


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        ("1", "10 rows in 1 file, 1.5 s, 21", "10 rows in [hidden] file, 1.5 s, 21"),
        ("abc", "abc, xabc, abc=abc abcd", "[hidden], xabc, [hidden]=[hidden] abcd"),
        ("ž", "ž žž", "[hidden] žž"),
    ],
)
def test_a_short_secret_is_hidden_where_it_stands_alone(secret, text, shown):
    assert Masking([secret, "another-one"])(text) == shown


def test_a_text_that_was_cut_within_a_secret_does_not_show_its_beginning():
    mask = Masking(["correct-horse-battery"])
    assert mask("value 'correct-hor…' is wrong") == "value '[hidden]…' is wrong"
    assert mask("value 'cor…' is wrong") == "value 'cor…' is wrong"


def test_the_lines_of_a_key_are_hidden_one_by_one():
    key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\nshort\n-----END KEY-----\n"
    assert Masking([key])("at MIIEvQIBADANBgkqhkiG9w0: short") == "at [hidden]: short"
    assert Masking([key])(f"<{key.strip()}>") == "<[hidden]>"


@given(texts_with_secrets(), st.integers(), st.booleans())
def test_a_json_value_stays_one_and_holds_no_secret(case, number, flag):
    hidden, text = case
    value = {text: [text, number, None, {"inner": text, "flag": flag}]}
    masked = Masking(hidden).json(value)
    shown = Masking(hidden)(text)
    assert masked == {shown: [shown, number, None, {"inner": shown, "flag": flag}]}
    assert json.loads(json.dumps(masked)) == masked
