from hypothesis import given
from hypothesis import strategies as st

from component.dataset.reading.reader import FileScan
from component.outputs.slices import LEAST_SLICE_BYTES, MANY_FILES, TEXT_SHARE, group_scans, slice_name

MB = 1000 * 1000


def grouped(sizes, *, slice_bytes=100 * MB, max_slices=1000, cores=2):
    scans = [FileScan(f"{number:04d}", f"{number}.parquet", {}, ()) for number in range(len(sizes))]
    groups = group_scans(scans, sizes, slice_bytes=slice_bytes, max_slices=max_slices, cores=cores)
    return [[int(scan.label) for scan in group] for group in groups]


@given(
    sizes=st.lists(st.integers(0, 500 * MB), max_size=60),
    slice_bytes=st.integers(1, 200 * MB),
    max_slices=st.integers(1, 20),
    cores=st.integers(1, 8),
)
def test_every_file_is_in_one_slice_in_order_and_there_are_not_too_many(sizes, slice_bytes, max_slices, cores):
    groups = grouped(sizes, slice_bytes=slice_bytes, max_slices=max_slices, cores=cores)
    assert [number for group in groups for number in group] == list(range(len(sizes)))
    assert 1 <= len(groups) <= max_slices
    assert all(groups) or not sizes


def test_no_files_are_one_empty_slice():
    assert grouped([]) == [[]]


def test_slices_have_about_the_wanted_size():
    sizes = [10 * MB] * 100
    groups = grouped(sizes)
    assert len(groups) == round(100 * 10 * TEXT_SHARE / 100)
    assert {len(group) for group in groups} <= {7, 8}


def test_a_small_output_is_one_slice_and_a_middling_one_gives_each_core_some():
    assert len(grouped([1000] * 10)) == 1
    assert len(grouped([2 * LEAST_SLICE_BYTES] * 4, cores=2)) == 2
    assert len(grouped([1] * 2 * MANY_FILES, cores=2)) == 2


def test_a_file_that_is_larger_than_a_slice_is_a_slice_of_its_own():
    assert grouped([500 * MB, 1, 1], slice_bytes=100 * MB)[0] == [0]


def test_names_sort_as_the_numbers_do():
    names = [slice_name(number, gzip=True) for number in (0, 2, 10, 999, 12345)]
    assert names == sorted(names)
    assert names[0] == "part-00000.csv.gz"
    assert slice_name(7, gzip=False) == "part-00007.csv"
