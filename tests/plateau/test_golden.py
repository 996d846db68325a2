"""Golden datasets: plateau and we read the same, but for the two faults of the original clients."""

import pytest

from component.dataset.reading.reader import open_dataset
from tests.dataset.making import bag, read_all
from tests.dataset.test_golden import KARTOTHEK, MATRIX, PLATEAU
from tests.plateau.rows import comparable

pytestmark = pytest.mark.plateau
DATASETS = [*((KARTOTHEK, uuid) for uuid in MATRIX), *((PLATEAU, uuid) for uuid in ("full", "plain", "plainmp"))]
FAULTS = {"bpart": "b", "full": "country"}
"""Booleans in a path all read as True, and values are cut at a slash."""


@pytest.mark.parametrize(("store", "uuid"), DATASETS, ids=[uuid for _, uuid in DATASETS])
def test_a_golden_dataset_reads_as_plateau_reads_it(plateau, store, uuid):
    ours, theirs = read_all(store, uuid), plateau.read(store, uuid)
    columns = [name for name in ours.column_names if name != FAULTS.get(uuid)]
    assert bag(comparable(ours.select(columns))) == bag(comparable(theirs.select(columns)))
    if uuid in FAULTS:
        assert bag(ours) != bag(comparable(theirs))


@pytest.mark.parametrize("column", open_dataset(PLATEAU, "full").header.indices)
def test_lookups_in_the_full_dataset_open_what_plateau_opens(plateau, column):
    for value in {value for value in read_all(PLATEAU, "full")[column].to_pylist() if value is not None}:
        predicates = [[(column, "==", value)]]
        theirs = plateau.read(PLATEAU, "full", predicates=predicates)
        assert sorted(read_all(PLATEAU, "full", predicates=predicates)["id"].to_pylist()) == sorted(
            theirs["id"].to_pylist()
        )
