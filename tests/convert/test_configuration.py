"""A conversion as a configuration: what is inferred unless somebody says."""

from pathlib import Path

import pytest

from component.convert.configuration import Options, configuration
from component.convert.places import ConversionSource, From, Target, To


def table_of(source, target, **table):
    output = {"records": table.pop("records")} if "records" in table else {}
    found = configuration(source, target, Options(table, output=output), "/scratch/store")
    return found["parameters"]["datasets"][0]["tables"][0]


CSV = ConversionSource(From.CSV, Path("a.csv"))
TEXT = ConversionSource(From.FILE, Path("a.txt"))
EXCEL = ConversionSource(From.FILE, Path("a.xlsx"))


@pytest.mark.parametrize("source", [CSV, TEXT])
@pytest.mark.parametrize("kind", [To.PARQUET, To.AVRO, To.ARROW, To.DATASET])
def test_types_of_text_are_inferred_for_targets_with_types(source, kind):
    assert table_of(source, Target(kind, Path("store/b")))["infer_types"] is True


@pytest.mark.parametrize("kind", [To.CSV, To.JSONL, To.RECORDS, To.HTTPFILE])
def test_text_stays_text_for_other_targets(kind):
    assert "infer_types" not in table_of(CSV, Target(kind, Path("b")))


def test_a_records_directory_of_parquet_has_types():
    assert table_of(CSV, Target(To.RECORDS, Path("b")), records={"format": "parquet"})["infer_types"] is True


def test_what_is_said_counts():
    assert table_of(CSV, Target(To.PARQUET, Path("b")), infer_types=False)["infer_types"] is False


def test_what_is_parsed_whole_keeps_its_own_rules():
    assert "infer_types" not in table_of(EXCEL, Target(To.PARQUET, Path("b")))
    assert "infer_types" not in table_of(CSV, Target(To.PARQUET, Path("b")), file={"reading": "lenient"})
