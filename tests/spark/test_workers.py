import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.naming import MIB
from component.spark.workers import (
    ALL_CORES,
    BASE_BYTES,
    KEPT_BYTES,
    WORKER_BYTES,
    fitting_master,
    kept_bytes,
    memory_limit,
)


@pytest.mark.parametrize(
    ("limit", "cores", "master"),
    [
        (256 * MIB, 2, "local[1]"),
        (512 * MIB, 2, "local[1]"),
        (1_500_000_000, 2, ALL_CORES),
        (1_500_000_000, 16, "local[2]"),
        (2**63 - 4096, 64, ALL_CORES),
        (None, 64, ALL_CORES),
    ],
)
def test_as_many_workers_run_as_fit(limit, cores, master):
    assert fitting_master(ALL_CORES, limit, cores) == master


@given(st.integers(0, 2**40), st.integers(1, 256))
def test_workers_fit_but_for_the_first(limit, cores):
    master = fitting_master(ALL_CORES, limit, cores)
    count = cores if master == ALL_CORES else int(master[len("local[") : -1])
    assert 1 <= count <= cores
    assert count == 1 or BASE_BYTES + count * WORKER_BYTES <= limit


@pytest.mark.parametrize(("limit", "plenty"), [(512 * MIB, False), (1_500_000_000, True), (None, True)])
def test_workers_keep_little_where_a_whole_one_does_not_fit(limit, plenty):
    assert (kept_bytes(limit) == KEPT_BYTES) is plenty
    assert plenty or kept_bytes(limit) < MIB * 32


def test_what_somebody_asked_for_stays():
    assert fitting_master("local[8]", MIB, 8) == "local[8]"


def test_the_limit_is_read_where_a_container_has_it(tmp_path):
    first, second = tmp_path / "memory.max", tmp_path / "memory.limit_in_bytes"
    assert memory_limit((first, second)) is None
    second.write_text("536870912\n", encoding="ascii")
    assert memory_limit((first, second)) == 512 * MIB
    first.write_text("max\n", encoding="ascii")
    assert memory_limit((first,)) is None
