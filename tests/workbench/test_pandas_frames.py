"""Tables become frames that follow the frame rules, and come back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given

from component.errors import UserError
from component.workbench.frames.pandas_frames import from_frame, to_frame
from component.workbench.rules.reading import ReadingMode
from component.workbench.tables.columns import date_column, number_column, text_column, timestamp_column
from component.workbench.tables.date_unit import DateUnit
from component.workbench.tables.table import NO_TABLE, WorkbenchTable
from tests.strategies.workbench_tables import same_tables, table_of, workbench_tables

ROOT = Path(__file__).parents[2]


def formats(table):
    known = {column.name: column.format or column.unit for column in table.columns}
    return {name: str(one) for name, one in known.items() if one is not None}


@given(workbench_tables(nulls=False))
def test_a_table_without_nulls_comes_back_from_a_frame(table):
    assert same_tables(from_frame(to_frame(table), formats(table)), table)


@given(workbench_tables())
def test_a_table_comes_back_with_whole_numbers_among_nulls_as_floats(table):
    rows = table.rows
    for number, field in enumerate(rows.schema):
        if pa.types.is_integer(field.type) and rows.column(number).null_count:
            floats = rows.column(number).cast(pa.float64(), safe=False)
            rows = rows.set_column(number, field.name, floats)
    back = from_frame(to_frame(table, ReadingMode.LENIENT), fallback=table.columns)
    assert same_tables(back, WorkbenchTable(table.columns, rows))


def test_each_type_has_its_dtype():
    table = table_of(
        (text_column("text"), pa.array(["a", None])),
        (text_column("category"), pa.array(["a", None]).dictionary_encode()),
        (number_column("int8"), pa.array([1, 2], pa.int8())),
        (number_column("nulls"), pa.array([1, None], pa.int8())),
        (number_column("float32"), pa.array([1.5, None], pa.float32())),
        (date_column("date"), pa.array([0, None], pa.int32()).cast(pa.date32())),
        (timestamp_column("timestamp"), pa.array([1, None], pa.timestamp("ns"))),
    )
    frame = to_frame(table)
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {
        "text": "object",
        "category": "category",
        "int8": "int8",
        "nulls": "float64",
        "float32": "float32",
        "date": "period[D]",
        "timestamp": "datetime64[ns]",
    }
    assert frame["text"].tolist() == ["a", None]
    assert frame.isna().to_numpy()[1].tolist() == [True, True, False, True, True, True, True]


def test_numbers_without_nulls_are_not_copied():
    numbers = pa.array(range(1000), pa.int64())
    frame = to_frame(table_of((number_column("A"), numbers)))
    assert frame["A"].to_numpy().ctypes.data == numbers.buffers()[1].address


def test_whole_numbers_that_a_float_cannot_say_are_refused_or_rounded():
    table = table_of((number_column("A"), pa.array([2**53 + 1, None])))
    with pytest.raises(UserError) as raised:
        to_frame(table)
    assert raised.value.code == "workbench.loss"
    assert to_frame(table, ReadingMode.LENIENT)["A"][0] == 2**53


def test_the_timestamp_that_pandas_takes_for_null_is_refused():
    table = table_of((timestamp_column("A"), pa.array([-(2**63)], pa.int64()).cast(pa.timestamp("ns"))))
    with pytest.raises(UserError) as raised:
        to_frame(table, ReadingMode.LENIENT)
    assert raised.value.code == "workbench.loss"


def test_a_frame_without_columns_is_no_table():
    assert from_frame(pd.DataFrame()) == NO_TABLE
    assert list(to_frame(NO_TABLE).columns) == []


MONTHS = pd.Series(pd.PeriodIndex(["2020-01"], freq="M"))
BROKEN = [
    pd.DataFrame({1: ["a"]}),
    pd.DataFrame({"": ["a"]}),
    pd.DataFrame({"a\n": ["a"]}),
    pd.DataFrame({"\ud800": ["a"]}),
    pd.DataFrame([["a", "b"]], columns=["A", "A"]),
    pd.DataFrame({"A": ["a", "b"]}, index=[1, 0]),
    pd.DataFrame({"A": ["a", "b"]}, index=["0", "1"]),
    pd.DataFrame({"A": ["a", "b"]}, index=[0.0, 1.0]),
    pd.DataFrame({"A": ["a", "b"]})[1:],
    pd.DataFrame({"A": [True]}),
    pd.DataFrame({"A": pd.array([1], dtype="Int64")}),
    pd.DataFrame({"A": pd.array(["a"], dtype="string")}),
    pd.DataFrame({"A": [1 + 2j]}),
    pd.DataFrame({"A": [np.inf]}),
    pd.DataFrame({"A": [np.longdouble(1)]}),
    pd.DataFrame({"A": MONTHS}),
    pd.DataFrame({"A": pd.to_datetime(["2020-01-01"], utc=True)}),
    pd.DataFrame({"A": pd.to_datetime(["2020-01-01"]).astype("datetime64[s]")}),
    pd.DataFrame({"A": pd.to_timedelta([1])}),
    pd.DataFrame({"A": ["a", 1]}),
    pd.DataFrame({"A": ["\ud800"]}),
    pd.DataFrame({"A": pd.Categorical(["a"], categories=["a", "b"])}),
    pd.DataFrame({"A": pd.Categorical([1])}),
    pd.DataFrame({"A": pd.Series(pd.PeriodIndex.from_ordinals([10**12], freq="D"))}),
]


@pytest.mark.parametrize("frame", BROKEN, ids=lambda frame: str(frame.dtypes.tolist()))
def test_a_frame_that_breaks_a_rule_is_refused(frame):
    with pytest.raises(UserError) as raised:
        from_frame(frame)
    assert raised.value.code == "workbench.frame"


def test_an_index_of_the_numbers_from_0_is_accepted_whatever_its_class():
    frame = pd.DataFrame({"A": ["a", "b"]}, index=[0, 1])
    assert type(frame.index) is not pd.RangeIndex
    assert from_frame(frame).rows["A"].to_pylist() == ["a", "b"]
    assert from_frame(pd.DataFrame({"A": ["b", "a"]}).sort_values("A").reset_index(drop=True)).rows.num_rows == 2


def test_every_kind_of_null_is_null():
    frame = pd.DataFrame({"A": ["a", None, np.nan, pd.NaT, pd.NA], "B": [1.5, np.nan, 1, 1, 1]})
    rows = from_frame(frame).rows
    assert rows.column("A").to_pylist() == ["a", None, None, None, None]
    assert rows.column("B").to_pylist() == [1.5, None, 1, 1, 1]


def test_numbers_of_the_other_byte_order_are_read():
    frame = pd.DataFrame({"A": np.array([1, 2], ">i2")})
    assert from_frame(frame).rows.column("A").to_pylist() == [1, 2]


def test_a_format_is_the_explicit_one_then_the_fallback_then_the_default():
    frame = pd.DataFrame({"A": [1], "B": [1], "C": [1], "D": ["x"]})
    fallback = [number_column("A", "{:e}"), number_column("B", "{:e}"), text_column("C"), number_column("D", "{:e}")]
    columns = from_frame(frame, {"A": "{:d}"}, fallback).columns
    assert columns == (number_column("A", "{:d}"), number_column("B", "{:e}"), number_column("C"), text_column("D"))


def test_a_unit_is_taken_over_where_it_still_fits():
    dates = pd.DataFrame({"A": pd.Series(pd.PeriodIndex(["2020-01-01", "2020-02-01"], freq="D"))})
    assert from_frame(dates, fallback=[date_column("A", DateUnit.MONTH)]).columns == (date_column("A", DateUnit.MONTH),)
    assert from_frame(dates, fallback=[date_column("A", DateUnit.YEAR)]).columns == (date_column("A"),)
    assert from_frame(dates, {"A": "month"}).columns == (date_column("A", DateUnit.MONTH),)
    with pytest.raises(UserError, match="DateValueHasWrongUnit"):
        from_frame(dates, {"A": "year"})


def test_a_format_of_text_is_refused():
    with pytest.raises(UserError) as raised:
        from_frame(pd.DataFrame({"A": ["a"]}), {"A": "{}"})
    assert raised.value.code == "workbench.frame"


def test_no_module_needs_pandas_to_be_imported():
    names = [f"component.workbench.{path.stem}" for path in sorted((ROOT / "component" / "workbench").glob("*.py"))]
    program = (
        f"import importlib, sys; [importlib.import_module(name) for name in {names}]; print('pandas' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ended.stdout == "False\n"
