from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import UserError
from component.store.local import LocalStore
from component.store.open import open_store

ODD = "ünï %20 #?;&=+ 100%/\\ 'q' \"q\""
names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)


def root_of(url: str) -> Path:
    store = open_store(url)
    assert isinstance(store, LocalStore)
    return store.root


@pytest.mark.parametrize(
    ("url", "root"),
    [
        ("/data/store", "/data/store"),
        ("/data/100%25", "/data/100%25"),
        ("file:///data/store", "/data/store"),
        ("file:///data/store/", "/data/store"),
        ("FILE://localhost/data/store", "/data/store"),
        ("file:/data/store", "/data/store"),
        ("file:///d%C3%BC%20%25%23%3F", "/dü %#?"),
        ("file:///d\u00fc x", "/dü x"),
    ],
)
def test_a_file_url_or_absolute_path_is_a_directory(url: str, root: str):
    assert root_of(url) == Path(root)


def test_an_odd_directory_is_found_again_by_its_url(tmp_path: Path):
    LocalStore(tmp_path / ODD).put("object", b"content")
    url = LocalStore(tmp_path / ODD).url
    assert url.isascii()
    assert open_store(url).get("object") == b"content"
    assert open_store(str(tmp_path / ODD)).get("object") == b"content"
    with open_store(url).open("object") as opened:
        assert opened.read() == b"content"


@given(parts=st.lists(names, max_size=4))
def test_the_url_of_any_path_leads_back_to_it(parts: list[str]):
    root = Path("/", *(part.replace("/", "") or "x" for part in parts))
    assert root_of(LocalStore(root).url) == root


def test_a_name_that_is_not_utf8_survives_the_url():
    root = Path("/store\udcff")
    assert root_of(LocalStore(root).url) == root


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s3://user:hunter2@bucket/prefix?token=hunter2", "'s3'"),
        ("abfs://hunter2@account/x", "'abfs'"),
        ("file://user:hunter2@host/x", "names a host"),
        ("file://hunter2/x", "names a host"),
        ("file:///x?hunter2", "%3F"),
        ("file:///x#hunter2", "%23"),
        ("file:///x%00hunter2", "NUL"),
        ("/x\0hunter2", "NUL"),
        ("file://", "no path"),
        ("file:hunter2", "no absolute path"),
        ("hunter2/x", "no absolute path"),
        ("user:hunter2@host:/x", "no absolute path"),
        ("C:\\hunter2", "no absolute path"),
        ("://hunter2", "no absolute path"),
        ("", "no absolute path"),
    ],
)
def test_any_other_url_is_refused_without_repeating_it(url: str, said: str):
    with pytest.raises(UserError) as caught:
        open_store(url)
    assert caught.value.code == "store.url"
    assert said in str(caught.value)
    assert "file:///path" in str(caught.value)
    assert "hunter2" not in repr(caught.value) + str(caught.value)
    assert caught.value.__cause__ is None
