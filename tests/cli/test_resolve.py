"""`tablemill resolve` on real folders: the executed cases of the platform's own code, and what a caller meets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from component.cli.main import app
from component.mapping.jobs.resolve import RULE_SETS
from tests.strategies.json_values import values
from tests.strategies.output_mapping import manifest_texts, mappings

CASES = json.loads((Path(__file__).parents[1] / "data" / "output-mapping.json").read_text(encoding="utf-8"))
EXECUTED = [
    (rules, name)
    for rules in ("2026", "2017")
    if rules in RULE_SETS
    for name, case in CASES.items()
    if case[f"v{rules}"] is not None
]
OPTIONS = {"bucket": "--default-bucket", "branch": "--branch-id", "dts": "--data-types"}
TABLE = '"Id","Name"\n"1","a"\n'


def write(root, files):
    """Lay out files by their path, objects as JSON; return the folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return root


def configured(*tables, **output):
    return {"storage": {"output": {"tables": list(tables), **output}}}


def call(root, *options):
    result = CliRunner().invoke(app, ["resolve", "--data", str(root), *options])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def answer(root, *options):
    """Return the exit code and the JSON that a call prints."""
    result = call(root, "--format", "json", *options)
    return result.exit_code, json.loads(result.stdout)


def options_of(settings):
    options = [part for key, option in OPTIONS.items() if key in settings for part in (option, settings[key])]
    options += ["--failed-job"] if settings.get("failed") else []
    options += [part for name in settings.get("features", ()) for part in ("--feature", name)]
    return [*options, "--mapping", "normalized" if settings.get("normalize") else "raw"]


def same_text(ours, theirs):
    """Texts of the platform's configuration library differ between its versions in how they end."""
    return (ours or "").rstrip(".") == (theirs or "").rstrip(".")


@pytest.mark.parametrize(("rules", "name"), EXECUTED)
def test_the_command_says_what_the_platform_did(rules, name, tmp_path):
    case = CASES[name]
    write(tmp_path, {f"out/tables/{path}": content for path, content in case["layout"].items()})
    write(tmp_path, {"config.json": configured(*case["settings"].get("mapping", []))})
    code, found = answer(tmp_path, "--rules", rules, *options_of(case["settings"]))
    expected = case[f"v{rules}"]
    plain = [{key: load[key] for key in ("source", "sliced", "destination", "options")} for load in found["loads"]]
    assert plain == expected["loads"]
    assert same_text(found["error"] and found["error"]["text"].replace(str(tmp_path), "<ROOT>"), expected["error"])
    assert found["log"] == expected["log"]
    assert code == (1 if expected["error"] else 0)
    assert found["rules"] == rules


def test_every_case_of_2026_was_run():
    assert sum(rules == "2026" for rules, _ in EXECUTED) > 60


def test_a_folder_without_configuration_is_resolved(tmp_path):
    write(tmp_path, {"out/tables/in.c-main.t.csv": TABLE})
    code, found = answer(tmp_path)
    assert (code, found["loads"][0]["destination"], found["loads"][0]["rule"]) == (0, "in.c-main.t", "file_name")


def test_an_empty_folder_has_nothing_to_load(tmp_path):
    assert answer(tmp_path)[1]["loads"] == []


def test_a_load_says_where_everything_comes_from(tmp_path):
    write(
        tmp_path,
        {
            "out/tables/t.csv": TABLE,
            "out/tables/t.csv.manifest": {"destination": "in.c-main.old", "incremental": True, "primary_key": ["Id"]},
            "config.json": configured({"source": "t.csv", "destination": "in.c-main.new", "tags": ["x"]}),
        },
    )
    load = answer(tmp_path)[1]["loads"][0]
    assert load["rule"] == "mapping"
    assert load["overrode"] == [{"origin": "manifest", "value": "in.c-main.old"}]
    assert load["provenance"] == {"incremental": "manifest", "tags": "mapping", "primary_key": "mapping"}
    assert (load["header"], load["bytes"], load["slices"]) == ("header", len(TABLE), 0)


def test_the_mapping_is_normalized_unless_told_otherwise(tmp_path):
    write(
        tmp_path,
        {
            "out/tables/t.csv": TABLE,
            "out/tables/t.csv.manifest": {"primary_key": ["Id"]},
            "config.json": configured({"source": "t.csv", "destination": "in.c-main.t"}),
        },
    )
    assert "primary_key" not in answer(tmp_path)[1]["loads"][0]["options"]
    assert answer(tmp_path, "--mapping", "raw")[1]["loads"][0]["options"]["primary_key"] == ["Id"]


@pytest.mark.parametrize(
    ("options", "variables", "output", "bucket"),
    [
        (["--component-default-bucket", "in", "--component-id", "a.b", "--config-id", "7"], {}, {}, "in.c-a-b-7"),
        (["--component-default-bucket", "out"], {"KBC_COMPONENTID": "a.b", "KBC_CONFIGID": "7"}, {}, "out.c-a-b-7"),
        ([], {}, {"default_bucket": "in.c-mine"}, "in.c-mine"),
        (["--component-default-bucket", "in", "--component-id", "a"], {}, {"default_bucket": "in.c-mine"}, "in.c-mine"),
        (["--default-bucket", "in.c-told"], {}, {"default_bucket": "in.c-mine"}, "in.c-told"),
    ],
)
def test_the_default_bucket_is_the_one_in_force(options, variables, output, bucket, tmp_path, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    write(tmp_path, {"out/tables/t.csv": TABLE, "config.json": configured(**output)})
    assert answer(tmp_path, *options)[1]["loads"][0]["destination"] == f"{bucket}.t"


def test_the_component_can_say_that_it_has_a_default_bucket(tmp_path, monkeypatch):
    monkeypatch.setenv("KBC_COMPONENTID", "a.b")
    monkeypatch.setenv("KBC_CONFIGID", "7")
    config = {"image_parameters": {"default_bucket": True, "default_bucket_stage": "out"}}
    write(tmp_path, {"out/tables/t.csv": TABLE, "config.json": config})
    assert answer(tmp_path)[1]["loads"][0]["destination"] == "out.c-a-b-7.t"


def test_the_default_bucket_of_a_component_needs_a_configuration(tmp_path):
    write(tmp_path, {"out/tables/t.csv": TABLE})
    code, found = answer(tmp_path, "--component-default-bucket", "in", "--component-id", "a")
    text = "Configuration ID not set, but is required for default_bucket option."
    assert (code, found["error"]["code"], found["error"]["text"]) == (1, "mapping.no_configuration", text)


def test_the_default_bucket_of_a_component_needs_the_component(tmp_path):
    result = call(tmp_path, "--component-default-bucket", "in")
    assert result.exit_code == 1
    assert "--component-id" in result.stderr


def test_data_types_come_from_the_environment_and_imply_the_feature(tmp_path, monkeypatch):
    write(tmp_path, {"out/tables/t.csv": TABLE, "out/tables/t.csv.manifest": {"destination": "in.c-main.t"}})
    assert answer(tmp_path)[0] == 0
    monkeypatch.setenv("KBC_DATA_TYPE_SUPPORT", "authoritative")
    assert answer(tmp_path)[1]["error"]["text"] == "Configuration schema is missing."
    assert answer(tmp_path, "--data-types", "none")[0] == 0


def test_data_types_that_are_asked_for_do_not_imply_the_feature(tmp_path):
    write(tmp_path, {"out/tables/t.csv": TABLE, "out/tables/t.csv.manifest": {"destination": "in.c-main.t"}})
    code, found = answer(tmp_path, "--data-types", "hints")
    assert (code, found["error"]) == (0, None)
    assert "finding.types_without_feature" in [finding["code"] for finding in found["findings"]]
    code, found = answer(tmp_path, "--data-types", "hints", "--feature", "new-native-types")
    assert (code, found["error"]["text"]) == (1, "Configuration schema is missing.")


def test_the_branch_of_the_environment_prefixes_no_bucket(tmp_path, monkeypatch):
    monkeypatch.setenv("KBC_BRANCHID", "123")
    write(tmp_path, {"out/tables/in.c-main.t.csv": TABLE})
    assert answer(tmp_path)[1]["loads"][0]["destination"] == "in.c-main.t"
    assert answer(tmp_path, "--branch-id", "123")[1]["loads"][0]["destination"] == "in.c-123-main.t"


@pytest.mark.parametrize("where", ["mapping", "manifest"])
def test_an_output_on_its_own_input_is_found(where, tmp_path):
    write(tmp_path, {"out/tables/in.c-main.t.csv": TABLE, "config.json": {}})
    if where == "mapping":
        write(tmp_path, {"config.json": {"storage": {"input": {"tables": [{"source": "in.c-main.t"}]}}}})
    else:
        write(tmp_path, {"in/tables/x.manifest": {"id": "in.c-main.t"}, "in/tables/broken.manifest": "{"})
    code, found = answer(tmp_path)
    assert "finding.own_input" in [finding["code"] for finding in found["findings"]]
    assert code == 0


def test_findings_fail_only_where_they_are_asked_to(tmp_path):
    write(tmp_path, {"out/tables/a.csv": TABLE, "out/tables/b.csv": TABLE})
    write(
        tmp_path,
        {"config.json": configured(*({"source": f"{name}.csv", "destination": "in.c-main.t"} for name in "ab"))},
    )
    assert call(tmp_path).exit_code == 0
    assert call(tmp_path, "--strict").exit_code == 1


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ("{", "is not JSON at line 1"),
        ("5", "config.json must be an object, but is the number 5"),
        ({"storage": []}, None),
        ({"storage": {"output": "x"}}, 'storage.output must be an object, but is the text "x"'),
        (configured() | {"parameters": {"unknown": 1}}, None),
        ({"storage": {"output": {"tables": 1}}}, "storage.output.tables must be a list, but is the number 1"),
    ],
)
def test_a_configuration_that_is_none_is_told_in_one_sentence(config, told, tmp_path):
    write(tmp_path, {"config.json": config})
    result = call(tmp_path)
    assert result.exit_code == (1 if told else 0)
    assert (told or "") in result.stderr
    assert result.stderr.count("\n") == (1 if told else 0)


def test_a_data_folder_that_is_not_there_is_told(tmp_path):
    result = call(tmp_path / "nowhere")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "There is no data folder" in result.stderr


def test_the_text_names_source_destination_and_why(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    write(
        tmp_path,
        {
            "out/tables/s/part1": "1,2\n",
            "out/tables/s.manifest": {"columns": ["a", "b"], "destination": "in.c-main.s"},
            "out/tables/t.csv": TABLE,
            "out/tables/t.csv.manifest": {"destination": "in.c-main.old", "delimiter": ";"},
            "config.json": configured({"source": "t.csv", "destination": "in.c-main.new"}),
        },
    )
    lines = call(tmp_path).stdout.splitlines()
    sliced = next(line for line in lines if line.startswith("s "))
    assert sliced.split("  ")[0] == "s"
    assert all(words in sliced for words in ("1 slice, 4 B", "in.c-main.s", "manifest", "data", 'columns = ["a", "b"]'))
    plain = next(line for line in lines if line.startswith("t.csv"))
    assert "output mapping, over manifest in.c-main.old" in plain
    assert 'delimiter = ";" (manifest)' in plain
    assert lines[-1].startswith("Rule set 2026 accepts the outputs: 2 table loads, 0 file uploads.")


def test_the_text_gives_the_error_of_the_platform_with_our_code(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    write(tmp_path, {"out/tables/a.csv": TABLE})
    result = call(tmp_path)
    assert result.exit_code == 1
    told = 'refused: Failed to resolve destination for output table "a.csv". [mapping.no_destination]'
    assert told in result.stdout.splitlines()


def test_names_cannot_move_the_cursor_of_a_terminal(tmp_path):
    write(tmp_path, {"out/tables/\x1b[2Jin.c-main.t": TABLE})
    assert "\x1b" not in call(tmp_path).stdout


def test_a_thousand_tables_load_nothing_heavy(tmp_path):
    tables = tmp_path / "out" / "tables"
    tables.mkdir(parents=True)
    for number in range(1000):
        (tables / f"t{number}.csv").write_text(TABLE)
        (tables / f"t{number}.csv.manifest").write_text(
            json.dumps({"destination": f"in.c-main.t{number}", "columns": ["a"]})
        )
    program = (
        "import sys\n"
        "from component.cli.main import app\n"
        f"try: app(['resolve', '--data', {str(tmp_path)!r}, '--format', 'json'])\n"
        "except SystemExit as ended: assert ended.code == 0, ended\n"
        "heavy = {'pyspark', 'pyarrow', 'pandas', 'numpy'} & set(sys.modules)\n"
        "print(*heavy, file=sys.stderr)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert len(json.loads(ended.stdout)["loads"]) == 1000
    assert not ended.stderr.strip()


def test_a_thousand_tables_are_shown_to_people(tmp_path):
    tables = tmp_path / "out" / "tables"
    tables.mkdir(parents=True)
    for number in range(1000):
        (tables / f"in.c-main.t{number}.csv").write_text(TABLE)
    lines = call(tmp_path).stdout.splitlines()
    assert "in.c-main.t7.csv (plain, 20 B) to in.c-main.t7 by file name (deprecated); first line: names" in lines


def test_files_are_resolved_with_their_tags(tmp_path):
    write(
        tmp_path,
        {
            "out/files/a.txt": "1",
            "out/files/b.txt": "22",
            "out/files/b.txt.manifest": {"tags": ["mine"], "is_permanent": True},
            "config.json": {"storage": {"output": {"files": [{"source": "a.txt", "tags": ["mapped"]}]}}},
        },
    )
    code, found = answer(tmp_path, "--component-id", "c.d", "--config-id", "7")
    system = ["componentId: c.d", "configurationId: 7"]
    assert code == 0
    assert [(one["source"], one["rule"], one["tags"], one["bytes"]) for one in found["files"]] == [
        ("a.txt", "mapping", ["mapped", *system], 1),
        ("b.txt", "manifest", ["mine", *system], 2),
    ]


def test_where_rule_sets_disagree_it_is_said(tmp_path):
    write(tmp_path, {"out/tables/t.csv": TABLE, "out/tables/t.csv.manifest": {"destination": "out.c-x.y"}})
    code, found = answer(tmp_path, "--default-bucket", "in.c-main")
    (one,) = [entry for entry in found["disagreements"] if entry["aspect"] == "destination"]
    assert {entry["rules"]: entry["value"] for entry in one["answers"]} == {
        "seed": ["in.c-main.t"],
        "2017": ["in.c-main.t"],
        "2026": ["out.c-x.y"],
    }
    assert (code, one["part"], one["source"]) == (0, "tables", "t.csv")


@pytest.mark.parametrize(
    ("rules", "destination"), [("seed", "in.c-main.t"), ("2017", "in.c-main.t"), ("2026", "out.c-x.y")]
)
def test_the_rule_set_is_chosen(rules, destination, tmp_path):
    write(tmp_path, {"out/tables/t.csv": TABLE, "out/tables/t.csv.manifest": {"destination": "out.c-x.y"}})
    found = answer(tmp_path, "--default-bucket", "in.c-main", "--rules", rules)[1]
    assert (found["rules"], found["loads"][0]["destination"]) == (rules, destination)


def test_tables_of_a_job_that_only_stores_files_are_files(tmp_path):
    write(tmp_path, {"out/tables/t.csv": TABLE, "out/files/f.txt": "1"})
    found = answer(tmp_path, "--use-file-storage-only")[1]
    assert found["loads"] == []
    assert [(one["source"], one["bytes"]) for one in found["files"]] == [("f.txt", 1), ("t.csv", len(TABLE))]


def test_features_may_be_given_in_one_word(tmp_path):
    write(tmp_path, {"out/tables/in.c-main.t.csv": TABLE})
    found = answer(tmp_path, "--feature", "output-mapping-slice,tag-staging-files", "--component-id", "c")[1]
    assert found["loads"][0]["options"]["tags"] == ["componentId: c"]


def test_a_yaml_configuration_is_read(tmp_path):
    config = "storage:\n  output:\n    tables:\n      - source: t.csv\n        destination: in.c-main.y\n"
    write(tmp_path, {"out/tables/t.csv": TABLE, "config.yml": config})
    assert answer(tmp_path)[1]["loads"][0]["destination"] == "in.c-main.y"


CONFIGS = st.fixed_dictionaries(
    {},
    optional={
        "storage": st.fixed_dictionaries(
            {},
            optional={
                "output": st.fixed_dictionaries(
                    {},
                    optional={
                        "tables": mappings() | values,
                        "files": values,
                        "default_bucket": values,
                        "table_files": values,
                        "data_type_support": values,
                    },
                )
                | values,
                "input": values,
            },
        )
        | values,
        "image_parameters": values,
    },
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    CONFIGS | values | st.binary(max_size=50),
    st.dictionaries(st.sampled_from(("a.csv", "in.c-main.t.csv", "sliced")), manifest_texts()),
    st.sampled_from(("seed", "2017", "2026")),
    st.sampled_from(((), ("--failed-job",), ("--use-file-storage-only",), ("--default-bucket", "in.c-x"))),
    st.booleans(),
)
def test_whatever_a_folder_holds_there_is_an_answer_or_one_sentence(config, manifests, rules, options, as_json):
    with tempfile.TemporaryDirectory() as folder:
        root = write(Path(folder), {"out/tables/a.csv": TABLE, "out/tables/sliced/1": "1\n", "out/files/f": ""})
        (root / "config.json").write_bytes(config if isinstance(config, bytes) else json.dumps(config).encode())
        for name, data in manifests.items():
            (root / "out" / "tables" / f"{name}.manifest").write_bytes(data)
            (root / "out" / "files" / f"{name}.manifest").write_bytes(data)
        result = call(root, "--rules", rules, *options, "--format", "json" if as_json else "text")
    assert result.exit_code in {0, 1}, result.stderr
    assert "Traceback" not in result.output
    if result.stderr:
        assert (result.stdout, result.stderr.count("\n")) == ("", 1)
    elif as_json:
        found = json.loads(result.stdout)
        assert result.exit_code == (1 if found["error"] else 0)


def test_the_page_names_every_option_and_every_key(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "resolve.md").read_text(encoding="utf-8")
    assert all(f"| `{key}` |" in page for key in answer(tmp_path)[1])
    shown = call(tmp_path, "--help").stdout
    options = {word.strip("│ ") for word in shown.split() if word.startswith("--")}
    assert all(option.rstrip("…") in page for option in options - {"--help"})


def test_a_manifest_that_waits_for_a_writer_is_not_waited_for(tmp_path):
    (tmp_path / "in" / "tables").mkdir(parents=True)
    os.mkfifo(tmp_path / "in" / "tables" / "t.csv.manifest")
    assert call(tmp_path).exit_code == 0
