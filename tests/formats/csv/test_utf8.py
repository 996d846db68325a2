from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from component.formats.csv.split import is_utf8


@given(st.binary(max_size=12) | st.text(max_size=6).map(str.encode))
def test_utf8_is_what_python_decodes(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        assert not is_utf8(data)
    else:
        assert is_utf8(data)
        assert is_utf8(memoryview(bytearray(data)))
