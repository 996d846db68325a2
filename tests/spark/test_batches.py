from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from component.spark.batches import LARGE, MOST_TASKS, PER_CORE, batches

sizes = st.lists(st.integers(0, 2 * LARGE) | st.integers(0, 100), max_size=300)


@given(sizes, st.integers(1, 8))
def test_every_task_is_in_one_batch_in_its_place(found, cores):
    assert list(chain.from_iterable(batches(found, cores))) == list(range(len(found)))


@given(sizes, st.integers(1, 8))
def test_a_batch_of_several_is_small_and_leaves_the_other_cores_some(found, cores):
    for batch in batches(found, cores):
        if len(batch) > 1:
            assert sum(found[number] for number in batch) <= LARGE
            assert len(batch) <= MOST_TASKS
            assert len(batch) <= -(-len(found) // (cores * PER_CORE))


def test_thousands_of_tiny_tasks_are_few_tasks_of_spark_and_large_ones_their_own():
    assert len(batches([20] * 10_000, 2)) == -(-10_000 // MOST_TASKS)
    assert batches([LARGE] * 3, 1) == [range(1), range(1, 2), range(2, 3)]
    assert batches([], 2) == []
