"""How many tasks run at once, as far as the master's URL says."""

import os

import pytest

from component.runner.run import _cores


@pytest.mark.parametrize(("master", "cores"), [("local[3]", 3), ("local[12]", 12)])
def test_the_number_of_a_local_master(master, cores):
    assert _cores(master) == cores


@pytest.mark.parametrize("master", ["local[*]", "local[0]", "local[²]", f"local[{'9' * 5000}]", "spark://host:7077"])
def test_what_is_no_number_that_can_be_counts_as_all_cores(master):
    assert _cores(master) == os.cpu_count()
