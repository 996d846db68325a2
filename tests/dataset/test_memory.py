from collections.abc import Callable

import pytest

from component.store.base import Store
from tests.dataset.memory import MemoryStore
from tests.store.contract import StoreContract


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> MemoryStore:
        return MemoryStore()

    @pytest.fixture
    def reopen(self) -> Callable[[Store], Store]:
        return lambda store: store
