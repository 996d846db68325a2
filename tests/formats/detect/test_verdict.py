"""What is taken, what is doubted, and what a person has to say."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from component.errors import Place, UserError
from component.formats.detect.cutting import Marks, cut
from component.formats.detect.dialect import TextDialect
from component.formats.detect.ranking import NOTHING, Given
from component.formats.detect.sample import Sample, encoding_of, sample_of
from component.formats.detect.verdict import detect

PLACE = Place(table="t.csv")


def dialect_of(text, given=NOTHING, **known):
    return detect(Sample(text), given, PLACE, **known).dialect


def test_two_readings_that_are_equally_good_are_refused_with_the_options():
    with pytest.raises(UserError, match="equally good") as caught:
        dialect_of("name,tags;list\nBob,x;y\nAl,z;q\nCid,r;s\n")
    assert caught.value.code == "csv.ambiguous"
    assert "comma" in str(caught.value)
    assert "semicolon" in str(caught.value)
    assert "--delimiter" in caught.value.remedy
    assert "['Bob', 'x;y']" in str(caught.value) or "['name', 'tags;list']" in str(caught.value)


def test_what_is_said_settles_it():
    text = "name,tags;list\nBob,x;y\nAl,z;q\nCid,r;s\n"
    assert dialect_of(text, Given(delimiter=";")).delimiter == ";"
    assert dialect_of(text, Given(delimiter=",")).delimiter == ","


def test_a_close_runner_up_is_named_with_a_record_that_reads_differently():
    found = detect(Sample("when;what\n1,5;a,b\n2,5;c,d\n3,7;d,e\n4,5;f,g\n"), NOTHING, PLACE)
    assert found.dialect.delimiter == ";"
    tight = detect(Sample("id,a;b\n1,x;y\n2,z;w\n3,q;r\n4,v;s\n"), NOTHING, PLACE)
    assert tight.dialect.delimiter == ","
    assert tight.runner_up.delimiter == ";"
    assert any("Nearly as good is delimiter semicolon" in doubt and "['id,a', 'b']" in doubt for doubt in tight.doubts)


def test_the_sentence_says_what_was_taken_and_how_many_records_speak_for_it():
    found = detect(Sample("a;b\n1;2\n3;4\n"), NOTHING, PLACE)
    assert found.sentence == "delimiter semicolon: 3 of 3 sampled records have 2 cells"
    assert not found.doubts


def test_a_table_of_fixed_width_is_refused():
    text = "".join(f"  {n:>6}  {n * n:>8}  {n * 3:>5}\n" for n in range(20))
    with pytest.raises(UserError, match="aligned with blanks"):
        dialect_of(text)


@pytest.mark.parametrize(
    "text",
    [
        '"a" "b"\n"1" 1 "x"\n"2" 2 "y"\n"3" 5 "z"\n',
        '"a","b"\n"r1",1,2.5\n"r2",2,3.5\n',
        "a;b\nr1;x;y\nr2;z;w\nr3;u;v\n",
        '"mpg"\n"Mazda RX4",21\n"Datsun 710",22.8\n',
    ],
)
def test_row_names_as_r_writes_them_are_seen_with_a_warning(text):
    found = detect(Sample(text), NOTHING, PLACE)
    assert (found.dialect.row_names, found.dialect.skip_rows, found.dialect.header_rows) == (True, 0, 1)
    assert "row names" in found.doubts[0]


def test_a_short_first_line_above_a_header_is_refused():
    with pytest.raises(UserError, match="looks like names") as caught:
        dialect_of("Report, v2\nid,x,y\n1,2,3\n2,3,4\n")
    assert caught.value.code == "csv.ambiguous"


@pytest.mark.parametrize(
    ("text", "skipped", "header"),
    [
        ("Report\n\na,b,c\n1,x,2\n3,y,4\n", 2, 1),
        ("# one\n# two\na,b\n1,2\n3,4\n", 2, 1),
        ("a,b\n1,2\n3,4\n", 0, 1),
        ("1,2\n3,4\n", 0, 0),
        ("country,2019,2020\nSK,1,2\nCZ,3,4\n", 0, 1),
        ("2019,2020,2021\n1,2,3\n4,5,6\n", 0, 1),
    ],
)
def test_lines_before_the_header_and_the_header(text, skipped, header):
    found = dialect_of(text)
    assert (found.delimiter, found.skip_rows, found.header_rows) == (",", skipped, header)


def test_comments_among_the_rows_stay_comments():
    assert dialect_of("a,b\n# note\n1,2\n# note\n3,4\n").comment == "#"


def test_a_header_that_nothing_proves_is_a_doubt():
    assert any("first record" in doubt for doubt in detect(Sample("Bob,Oslo\nAnn,Rome\n"), NOTHING, PLACE).doubts)


@pytest.mark.parametrize("text", ['a,b\n1,"x\n', 'a,b\n1,x\n2,"y, z\n3,w\n', 'a;b\n"1;x\n2;y\n'])
def test_a_quote_that_nothing_closes_is_a_doubt_where_quotes_are_taken_for_text(text):
    found = detect(Sample(text), NOTHING, PLACE)
    assert any("double quote that nothing closes" in doubt for doubt in found.doubts) or found.dialect.enclosure
    none = Given(delimiter=text[1], enclosure="")
    assert not any("double quote" in doubt for doubt in detect(Sample(text), none, PLACE).doubts)


def test_inches_are_no_doubt():
    assert not detect(Sample('n,size\n1,5" pipe\n2,7" pipe\n3,8"\n'), NOTHING, PLACE).doubts


def test_no_delimiter_at_all_is_one_column():
    assert dialect_of("name\nBob\nAnn\n") == TextDialect("")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_rows_of_different_length_are_refused_rather_than_read_as_one_column(delimiter):
    with pytest.raises(UserError, match="differ in their number of cells") as caught:
        dialect_of("a,b\n1,2\n3\n4,5,6\n".replace(",", delimiter))
    assert caught.value.code == "csv.ambiguous"


@pytest.mark.parametrize("text", ['"a,b"\n"1,2"\n"3"\n"4,5,6"\n', "Well, well.\nOne, two, three.\nNo.\n"])
def test_delimiters_that_are_enclosed_or_part_of_a_sentence_are_text(text):
    assert dialect_of(text).delimiter == ""


def test_a_cell_that_is_longer_than_the_sample_is_enclosed():
    text = 'id,text\n1,before\n2,"' + 'a line with ""doubled"", commas\n' * 1000
    assert detect(Sample(text, whole=False), NOTHING, PLACE).dialect == TextDialect(",")


def test_an_empty_file_has_the_default_dialect():
    assert dialect_of("") == TextDialect(",")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_encodings_are_found_by_their_marks_or_their_bytes(encoding, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("naïve;café\nün;deux\ntrès;bien élevé\n".encode(encoding))
    sample = sample_of(path, PLACE)
    assert sample.head.startswith("naïve;café")
    assert sample.guessed == (encoding == "cp1252")
    assert detect(sample, NOTHING, PLACE).dialect.delimiter == ";"


def test_an_encoding_that_is_given_is_binding(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("a;b\nč;ř\n".encode("cp1250"))
    assert sample_of(path, PLACE, "cp1250").head == "a;b\nč;ř\n"
    assert sample_of(path, PLACE, "utf-8").head == "a;b\n\ufffd;\ufffd\n"


def test_a_character_cut_off_by_the_end_of_the_sample_is_no_fault():
    assert encoding_of("aé".encode()[:-1], whole=False) == ("utf-8", 0, False)


def test_quotes_that_come_only_after_the_head_are_seen(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('size,n\n5" pipe,1\n' + "x,1\n" * 100_000 + '"a, b",2\n' * 30_000, encoding="utf-8")
    assert detect(sample_of(path, PLACE), NOTHING, PLACE).dialect.enclosure in {'"', ""}
    path.write_text("size;n\n" + "x;1\n" * 100_000 + '"a; b";2\n' * 30_000, encoding="utf-8")
    assert detect(sample_of(path, PLACE), NOTHING, PLACE).dialect == TextDialect(";")


@given(st.lists(st.lists(st.text("ab,;\"'\n |", max_size=4), min_size=2, max_size=2), min_size=1, max_size=5))
def test_cutting_agrees_with_the_csv_module_on_what_it_writes(rows):
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    found = cut(text.getvalue(), Marks(",", '"'))
    assert found.records == rows
    assert (found.broken, found.stray) == (0, 0)


@given(st.text('ab,;"\\\t\n\r ', max_size=60))
def test_cutting_takes_any_text_and_loses_no_bare_character(text):
    found = cut(text, Marks(","))
    assert "".join(cell for record in found.records for cell in record).strip() == (
        "".join(
            line.replace(",", "")
            for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            if line.strip() or "," in line
        ).strip()
    )
