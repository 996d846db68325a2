"""Rows of one zone that join those of another: what a column is then, and that it is said once, with its cells."""

import datetime as dt
import warnings

import pyarrow as pa
import pytest

import tablemill
from component.dataset.commits.fit import joined_attributes, joining_losses
from component.dataset.format.header import Header
from component.dataset.format.layout import Layout, describe_columns

MOMENT = pa.timestamp("us")
NAIVE, UTC = {}, {"logical": "timestamptz"}
BERLIN, PRAGUE = ({**UTC, "zone": zone} for zone in ("Europe/Berlin", "Europe/Prague"))
BOTH = "instants of Europe/Prague join those of Europe/Berlin: all are kept in UTC, and neither zone is"


def layout(known, data_type=MOMENT):
    attributes = (("at", tuple(known.items())),) if known else ()
    return Layout("d", pa.schema([("at", data_type)]), attributes=attributes)


def header(known, data_type=MOMENT):
    schema = pa.schema([("at", data_type)])
    extras = {"table": "table", "columns": describe_columns(schema), "attributes": {"at": known} if known else {}}
    return Header("d", {}, (), {}, {"tablemill": extras})


@pytest.mark.parametrize(
    ("there", "come", "kept", "lost"),
    [
        (BERLIN, BERLIN, BERLIN, []),
        (BERLIN, PRAGUE, UTC, [BOTH]),
        (BERLIN, UTC, UTC, ["instants are kept in UTC, the zone Europe/Berlin that the dataset had is not"]),
        (UTC, PRAGUE, UTC, ["instants are kept in UTC as the dataset has them, their zone Europe/Prague is not"]),
        (UTC, UTC, UTC, []),
        (BERLIN, NAIVE, BERLIN, []),
        (BERLIN, {"field": "x"}, {"field": "x", **BERLIN}, []),
        (NAIVE, NAIVE, NAIVE, []),
        *(
            (
                NAIVE,
                one,
                NAIVE,
                [f"the zone {zone} is dropped: the dataset has timestamps without one, and keeps these in UTC"],
            )
            for one, zone in ((UTC, "UTC"), (PRAGUE, "Europe/Prague"))
        ),
    ],
)
def test_what_a_column_is_and_what_is_lost(there, come, kept, lost):
    base, rows = header(there), layout(come)
    assert joined_attributes(rows, base).get("at", {}) == kept
    assert [(one.kind.value, one.text) for one in joining_losses(rows, rows, base)] == [
        ("dropped_zone", text) for text in lost
    ]


def test_a_column_that_never_had_a_value_takes_the_zone_of_the_first_rows():
    rows, base = layout(BERLIN), header(NAIVE, pa.null())
    assert joined_attributes(rows, base) == {"at": BERLIN}
    assert list(joining_losses(rows, rows, base)) == []


def test_a_text_that_the_dataset_does_not_call_a_time_is_none_by_rows_to_come():
    time = {"logical": "time"}
    assert joined_attributes(layout(time, pa.string()), header(NAIVE, pa.string())) == {}
    assert joined_attributes(layout(time, pa.string()), header(time, pa.string())) == {"at": time}


def test_python_warns_once_with_the_number_of_cells(tmp_path):
    moments = [dt.datetime(2024, 7, 1, tzinfo=dt.UTC), None, dt.datetime(2024, 1, 1, tzinfo=dt.UTC)]
    rows = [pa.table({"at": pa.array(moments, pa.timestamp("us", zone))}) for zone in ("Europe/Berlin", "Asia/Tokyo")]
    dataset = tablemill.create(f"{tmp_path.as_uri()}/d", rows[0])
    text = "instants are kept in Europe/Berlin as the dataset has them, their zone Asia/Tokyo is not"
    with pytest.warns(UserWarning, match="zone") as said:
        dataset.append([*rows[1].to_batches(), *rows[1].to_batches()])
    assert [str(one.message) for one in said] == [f"Column 'at' of 'd': {text} (4 cells)."]
    assert dataset.read().schema.field("at").type.tz == "Europe/Berlin"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dataset.append(rows[0])
        dataset.append(rows[0].cast(pa.schema([("at", pa.timestamp("us", "UTC"))])))
