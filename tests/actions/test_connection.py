from __future__ import annotations

from dataclasses import dataclass

import pytest

from component.actions.connection import probe
from component.errors import RetryError, TablemillError, UserError
from component.store.local import LocalStore
from tests.actions.conftest import objects


def test_a_store_that_can_be_written_to_is_a_success_and_is_left_as_it_was(folder, ask, stored):
    before = objects(folder.store)
    assert ask("testConnection", stored) == {"status": "success"}
    assert objects(folder.store) == before


@pytest.mark.parametrize("store", [None, [], {}])
def test_without_a_store_there_is_nothing_to_reach(ask, store):
    assert ask("testConnection", {"store": store}) == {"status": "success"}


def test_a_wrong_url_is_told(ask):
    with pytest.raises(UserError) as refused:
        ask("testConnection", {"store": {"url": "nowhere://x"}})
    assert refused.value.code == "store.url"


def test_a_misspelled_key_of_the_store_is_told_though_the_rest_is_half_filled_in(ask):
    with pytest.raises(UserError, match=r"parameters\.store\.ulr"):
        ask("testConnection", {"store": {"ulr": "/x"}, "datasets": [{"uuid": ""}]})


def test_a_store_that_cannot_be_written_to_is_told(ask):
    with pytest.raises(TablemillError) as refused:
        ask("testConnection", {"store": {"url": "file:///proc/tablemill"}})
    assert refused.value.code.startswith("store.")


@dataclass(frozen=True)
class Forgetful(LocalStore):
    """A store that gives back something else."""

    def get(self, key: str) -> bytes:
        return super().get(key)[:-1]


def test_a_store_that_changes_what_it_is_given_is_told_and_left_clean(tmp_path):
    with pytest.raises(RetryError, match="did not give back"):
        probe(Forgetful(tmp_path / "store"))
    assert objects(tmp_path / "store") == []
