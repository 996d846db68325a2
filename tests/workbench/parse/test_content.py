"""Bytes that are in memory or on disk, and read the same."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.workbench.parse import content
from component.workbench.parse.content import Content, taken


@given(st.lists(st.binary(max_size=20), max_size=5), st.integers(0, 60), st.integers(0, 60))
def test_bytes_are_the_same_in_memory_and_on_disk(blocks, start, size):
    whole = b"".join(blocks)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(content, "IN_MEMORY", 10)
        found = taken(blocks, 1000)
    for one, expected in ((found, whole), (found.after(start), whole[start:]), (Content.of(whole), whole)):
        assert one.size == len(expected)
        assert one.head(size) == expected[:size]
        assert one.tail(size) == expected[max(0, len(expected) - size) :]
        assert one.whole(Place()) == expected
        with one.open() as stream:
            stream.seek(-min(size, len(expected)), io.SEEK_END)
            assert stream.read() == expected[max(0, len(expected) - size) :]


def test_what_is_too_much_is_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="more than 3 bytes"):
        taken([b"ab", b"cd"], 3)
    monkeypatch.setattr(content, "MOST_WHOLE", 3)
    path = tmp_path / "f"
    path.write_bytes(b"abcd")
    with pytest.raises(UserError) as caught:
        Content.of_file(path).whole(Place(table="f"))
    assert caught.value.code == "workbench.limit"
