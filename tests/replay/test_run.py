from __future__ import annotations

import json
import os
import time
import zipfile
from pathlib import Path

import pytest

from component.replay.profile import Profile
from component.replay.request import Component
from component.report.results.replayed import Landing, Status, render_json
from tests.replay.conftest import CONFIG, COPY, TABLE


def codes(result, *levels):
    return [remark.code for remark in result.remarks if not levels or remark.level.value in levels]


def test_a_folder_is_run_as_the_platform_would(folder, replayed):
    script = f'{COPY}; env | grep ^KBC | sort; ls "$KBC_DATADIR" "$KBC_DATADIR/in"; cat "$KBC_DATADIR/in/state.json"'
    result = replayed(folder, script)
    assert (result.status, result.exit_code, result.message) == (Status.PASSED, 0, "")
    assert "KBC_COMPONENT_RUN_MODE=debug" in result.stdout
    assert [word for word in result.stdout.split() if word in {"config.json", "in", "out", "files", "user"}] == [
        "config.json",
        "in",
        "out",
        "files",
        "user",
    ]
    assert result.stdout.endswith("{}")
    assert result.landings == (Landing("out/tables/t.csv", "out.c-a.t", "file_name+default_bucket"),)
    assert codes(result, "error", "warning") == []
    assert not (folder / "out").exists(), "the source is not touched"


@pytest.mark.parametrize("prefix", ["", "data/", "my-project/"])
def test_a_zip_is_run_like_the_folder_in_it(folder, replayed, zipped, prefix):
    assert replayed(zipped(folder, prefix=prefix)).status is Status.PASSED


def test_secrets_are_in_no_report(folder, replayed):
    result = replayed(folder, 'cat "$KBC_DATADIR/config.json"; echo s3cret >&2; touch "$KBC_DATADIR/s3cret"')
    assert "s3cret" not in json.dumps(render_json_of(result))
    assert "[hidden]" in result.stdout


def render_json_of(result):
    from component.report.results.replayed import Replay

    return render_json(Replay((result,)))


def test_nothing_of_the_callers_environment_reaches_the_component(folder, replayed):
    result = replayed(folder, "env", variables={"CI_TOKEN": "token", "LANG": "C.UTF-8"})
    assert "CI_TOKEN" not in result.stdout
    assert "LANG=C.UTF-8" in result.stdout


def test_equal_outputs_are_equal_and_a_changed_row_is_named(folder, replayed, write_folder, zipped):
    expected = write_folder("expected", {"out/tables/t.csv": "id,name\n2,two\n1,one\n"})
    for one in (expected, expected / "out", zipped(expected, "stage_output.zip")):
        result = replayed(folder, expected=one)
        assert (result.status, result.compared) == (Status.EQUAL, ("tables/t.csv",))
    result = replayed(folder, COPY + '; sed -i s/two/zwei/ "$KBC_DATADIR/out/tables/t.csv"', expected=expected)
    assert result.status is Status.DIFFERENT
    assert [row.changed for row in result.differences[0].rows] == [("name",), ("name",)]


def test_a_secret_in_a_row_that_differs_is_hidden(folder, replayed, write_folder):
    expected = write_folder("expected", {"out/tables/t.csv": TABLE})
    result = replayed(
        folder, 'printf "id,name\\n1,s3cret\\n2,two\\n" > "$KBC_DATADIR/out/tables/t.csv"', expected=expected
    )
    assert dict(result.differences[0].rows[1].cells)["name"] == "[hidden]"


def test_what_a_run_before_left_is_not_taken_over_unless_asked(folder, replayed):
    (folder / "out/tables").mkdir(parents=True)
    (folder / "out/tables/old.csv").write_text("a\n1\n")
    script = 'ls "$KBC_DATADIR/out/tables"'
    assert "old.csv" not in replayed(folder, script).stdout
    assert "old.csv" in replayed(folder, script, keep_out=True).stdout


def test_hidden_secrets_stop_the_run_before_it_begins(folder, replayed, write_folder):
    source = write_folder(
        "hidden", {"config.json": {"parameters": {"#password": "[hidden]", "deep": [{"t": "KBC::Secure::x"}]}}}
    )
    result = replayed(source, "echo run > ran")
    assert result.status is Status.REFUSED
    assert "parameters.#password (it was replaced by [hidden])" in result.message
    assert "parameters.deep[0].t (it is still encrypted)" in result.message
    assert result.exit_code is None
    allowed = replayed(source, "true", allow_gaps=True)
    assert allowed.status is Status.PASSED
    assert codes(allowed, "warning") == ["replay.gap", "replay.gap"]


def test_secrets_that_are_put_back_fill_the_gap_and_are_masked(replayed, write_folder):
    source = write_folder(
        "hidden", {"config.json": {"parameters": {"#password": "[hidden]"}}, "in/state.json": {"token": "[hidden]"}}
    )
    result = replayed(
        source,
        'cat "$KBC_DATADIR/config.json" "$KBC_DATADIR/in/state.json"; wc -c < "$KBC_DATADIR/config.json"',
        secrets=("parameters.#password=PASSWORD", "in/state.json: token=TOKEN"),
        variables={"PASSWORD": "correct horse", "TOKEN": "battery"},
    )
    assert result.status is Status.PASSED
    assert "horse" not in result.stdout
    assert "battery" not in result.stdout


def test_variables_that_are_secret_by_name_and_objects_that_are_put_back_are_masked(folder, replayed):
    profile = Profile(
        environment={"KBC_TOKEN": "t0ken", "KBC_URL": "https://x"}, secrets={"parameters.db": {"user": "r00t"}}
    )
    component = Component(
        words=("sh", "-c", 'env; cat "$KBC_DATADIR/config.json"'), extra={"API_KEY": "k3y", "MONKEY": "ape"}
    )
    out = replayed(folder, profile=profile, component=component).stdout
    assert not any(secret in out for secret in ("t0ken", "r00t", "k3y"))
    assert "https://x" in out
    assert "MONKEY=ape" in out


def test_a_configuration_that_was_cut_is_replaced_by_a_file(replayed, write_folder, tmp_path):
    source = write_folder("cut", {"config.json": '{"parameters": {"a": "b [trimmed]'})
    result = replayed(source, "true")
    assert (
        "config.json (its text was cut off, so it cannot be read; give the whole text with --config FILE)"
        in result.message
    )
    (tmp_path / "whole.json").write_text('{"parameters": {"a": "whole"}}')
    assert "whole" in replayed(source, 'cat "$KBC_DATADIR/config.json"', config=tmp_path / "whole.json").stdout


def test_expired_credentials_stop_the_run(replayed, write_folder):
    manifest = {
        "id": "in.c-a.t",
        "s3": {"bucket": "b", "credentials": {"session_token": "tok-en", "access_key_id": "acc-ess"}},
    }
    source = write_folder("staged", {"config.json": {}, "in/tables/t.csv.manifest": manifest})
    old = time.time() - 200_000
    os.utime(source / "in/tables/t.csv.manifest", (old, old))
    assert "in/tables/t.csv.manifest: s3.credentials" in replayed(source, "true").message
    (source / "in/tables/t.csv").write_text("id\n1\n")
    assert replayed(source, "true").status is Status.PASSED


def test_placeholders_of_cases_come_from_the_environment(replayed, write_folder):
    source = write_folder(
        "case", {"config.json": '{"parameters": {"#key": "{{env.API_KEY}}", "x": "{{ env.API_KEY }}"}}'}
    )
    program = (
        "import json, os; print(len(json.load(open(os.environ['KBC_DATADIR'] + 'config.json'))['parameters']['x']))"
    )
    script = f'python3 -c "{program}"'
    result = replayed(source, script, placeholders=True, variables={"API_KEY": 'say "hi"'})
    assert result.stdout.split()[-1] == str(len('say "hi"'))
    assert "API_KEY" in replayed(source, "true", placeholders=True).message
    kept = replayed(source, 'cat "$KBC_DATADIR/config.json"', variables={"API_KEY": "x"})
    assert "{{ env.API_KEY }}" in kept.stdout


def test_a_failed_run_is_judged_and_only_what_is_always_written_lands(folder, replayed):
    script = COPY + '; cp "$KBC_DATADIR/in/tables/t.csv" "$KBC_DATADIR/out/tables/log.csv"'
    script += (
        '; echo \'{"write_always": true}\' > "$KBC_DATADIR/out/tables/log.csv.manifest"; echo no access >&2; exit 1'
    )
    result = replayed(folder, script)
    assert (result.status, result.exit_code, result.message) == (Status.FAILED, 1, "no access")
    assert [landing.source for landing in result.landings] == ["out/tables/log.csv"]
    assert replayed(folder, script, exit_code=1).status is Status.PASSED


def test_a_run_that_takes_too_long_has_failed(folder, replayed):
    result = replayed(folder, "sleep 30", timeout=0.3)
    assert result.status is Status.FAILED
    assert result.message == "Running container exceeded the timeout of 0.3 seconds."


def test_what_the_platform_would_refuse_fails_the_replay(folder, replayed):
    script = 'touch "$KBC_DATADIR/out/tables/x.csv.manifest"'
    result = replayed(folder, script)
    assert result.status is Status.FAILED
    assert 'Found orphaned table manifest: "x.csv.manifest"' in [remark.text for remark in result.remarks]
    assert replayed(folder, script, mapping="warn").status is Status.PASSED
    assert codes(replayed(folder, script, mapping="off"), "error", "warning") == []


def test_the_rule_set_can_be_chosen(folder, replayed):
    (folder / "config.json").write_text('{"storage": {"output": {"tables": []}}}')
    script = 'cp "$KBC_DATADIR/in/tables/t.csv" "$KBC_DATADIR/out/tables/in.c-a.t.csv"'
    assert replayed(folder, script, rules="2017").landings[0].destination == "in.c-a.t"


@pytest.mark.parametrize(
    ("script", "level", "code"),
    [
        ('echo "{" > "$KBC_DATADIR/out/state.json"', "error", "replay.document"),
        ('echo "[{}]" > "$KBC_DATADIR/out/usage.json"', "error", "replay.document"),
        (
            'echo "[{\\"metric\\": \\"a\\", \\"value\\": \\"1\\"}]" > "$KBC_DATADIR/out/usage.json"',
            "error",
            "replay.document",
        ),
        ('echo "{\\"other\\": 1}" > "$KBC_DATADIR/out/result.json"', "warning", "replay.document"),
        ('echo "{\\"variables\\": {\\"a\\": []}}" > "$KBC_DATADIR/out/result.json"', "warning", "replay.document"),
        ('touch "$KBC_DATADIR/junk.txt"', "warning", "replay.junk"),
        ('touch "$KBC_DATADIR/out/junk.txt"', "warning", "replay.junk"),
        ('echo >> "$KBC_DATADIR/in/tables/t.csv"', "warning", "replay.input_changed"),
        ('rm "$KBC_DATADIR/in/tables/t.csv"', "warning", "replay.input_changed"),
        ('touch "$KBC_DATADIR/in/tables/new"', "warning", "replay.input_changed"),
        (
            'sed -i "" "$KBC_DATADIR/in/tables/t.csv" 2>/dev/null; touch -r / "$KBC_DATADIR/in/tables/t.csv"',
            "warning",
            "replay.input_changed",
        ),
        ("echo careful >&2", "warning", "replay.stderr"),
        ("true", "note", "replay.state"),
    ],
)
def test_what_a_component_leaves_is_checked(folder, replayed, script, level, code):
    result = replayed(folder, script)
    assert code in codes(result, level), result.remarks
    assert result.status is (Status.FAILED if level == "error" else Status.PASSED)
    strict = replayed(folder, script, strict=True)
    assert strict.status is (Status.PASSED if level == "note" else Status.FAILED)


@pytest.mark.parametrize(
    ("script", "place"),
    [
        ('rm -r "$KBC_DATADIR"', "/"),
        ('rm -r "$KBC_DATADIR/out"', "out"),
        ('rm -r "$KBC_DATADIR/out/files"', "out/files"),
        ('cd "$KBC_DATADIR"; rm -r out; echo x > out', "out"),
        ('cd "$KBC_DATADIR/out"; rm -r tables; ln -s "$KBC_DATADIR/in/tables" tables', "out/tables"),
    ],
)
def test_a_folder_that_is_gone_or_something_else_fails_the_run(folder, replayed, write_folder, script, place):
    expected = write_folder("expected", {"out/tables/t.csv": TABLE})
    result = replayed(folder, script, expected=expected)
    (remark,) = (one for one in result.remarks if one.level.value == "error")
    assert (result.status, remark.code, remark.place) == (Status.FAILED, "replay.folder", place)
    assert [(one.place, one.kind) for one in result.differences] == [("tables/t.csv", "missing")]


def test_an_input_that_became_a_link_is_not_followed(folder, replayed):
    result = replayed(folder, 'cd "$KBC_DATADIR"; rm -r in; ln -s / in')
    assert (result.status, codes(result, "error", "warning")) == (Status.PASSED, ["replay.input_changed"])


@pytest.mark.parametrize("script", ["mkfifo state.json", "mkdir state.json", "truncate -s 100M state.json"])
def test_a_state_that_cannot_be_read_is_not_waited_for(folder, replayed, script):
    result = replayed(folder, f'cd "$KBC_DATADIR/out"; {script}')
    assert codes(result, "error") == ["replay.document"]


def test_usage_that_is_no_list_of_objects_is_told_in_words_of_json(folder, replayed):
    result = replayed(folder, 'echo "[1]" > "$KBC_DATADIR/out/usage.json"')
    assert next(one.text for one in result.remarks if one.level.value == "error") == "[0]: Input should be an object."


def test_what_lay_in_the_source_is_not_the_components_doing(folder, replayed):
    (folder / "notes.txt").touch()
    result = replayed(folder, f'{COPY}; touch "$KBC_DATADIR/new"')
    assert [one.text.split(",")[0] for one in result.remarks if one.code == "replay.junk"] == ["It left 'new'"]


def test_texts_of_the_platform_name_the_data_folder_as_it_does(folder, replayed):
    result = replayed(folder, 'cd "$KBC_DATADIR/out/tables"; echo a > x.csv; echo "{" > x.csv.manifest')
    assert '"/data/out/tables' in next(one.text for one in result.remarks if one.level.value == "error")


def test_good_documents_are_no_matter(folder, replayed):
    script = (
        'cd "$KBC_DATADIR/out"; echo "{}" > state.json; echo "[{\\"metric\\": \\"a\\", \\"value\\": 1}]" > usage.json'
    )
    script += '; echo "{\\"variables\\": {\\"a\\": null}}" > result.json'
    assert codes(replayed(folder, script)) == []


def test_what_comes_out_becomes_what_is_expected(folder, replayed, tmp_path):
    expected = tmp_path / "new"
    assert replayed(folder, expected=expected, update=True).status is Status.PASSED
    assert (expected / "data/out/tables/t.csv").read_text() == TABLE
    assert replayed(folder, expected=expected).status is Status.EQUAL
    script = 'echo a > "$KBC_DATADIR/out/files/f"'
    assert replayed(folder, script, expected=expected).status is Status.DIFFERENT
    replayed(folder, script, expected=expected, update=True)
    assert sorted(path.name for path in (expected / "data/out").rglob("*") if path.is_file()) == ["f"]
    assert replayed(folder, script, expected=expected).status is Status.EQUAL


def test_a_run_that_failed_changes_no_expectation(folder, replayed, tmp_path):
    assert replayed(folder, "exit 1", expected=tmp_path / "new", update=True).status is Status.FAILED
    assert not (tmp_path / "new").exists()


def test_a_zip_is_not_updated(folder, replayed, zipped, write_folder):
    packed = zipped(write_folder("expected", {"out/tables/t.csv": TABLE}), "stage_output.zip")
    before = packed.read_bytes()
    assert "only a folder is written" in replayed(folder, expected=packed, update=True).message
    assert packed.read_bytes() == before


def test_only_the_parts_of_an_out_folder_that_is_named_are_updated(folder, replayed, write_folder):
    expected = write_folder("mine", {"tables/old.csv": "a\n", "state.json": {"a": 1}, "readme.md": "x"})
    replayed(folder, expected=expected, update=True)
    assert sorted(path.relative_to(expected).as_posix() for path in expected.rglob("*") if path.is_file()) == [
        "readme.md",
        "state.json",
        "tables/t.csv",
    ]
    assert json.loads((expected / "state.json").read_text()) == {}


def test_an_update_that_fails_changes_no_expectation(folder, replayed, write_folder):
    expected = write_folder("mine", {"tables/old.csv": "a\n"})
    result = replayed(folder, 'mkfifo "$KBC_DATADIR/out/files/pipe"', expected=expected, update=True)
    assert (result.status, "neither a file nor a folder" in result.message) == (Status.REFUSED, True)
    assert [path.name for path in expected.rglob("*")] == ["tables", "old.csv"]


@pytest.mark.parametrize("prefix", ["stage_0/", "stage_0/data/"])
def test_a_zip_that_a_mac_made_is_run(folder, replayed, zipped, prefix):
    packed = zipped(folder, prefix=prefix)
    with zipfile.ZipFile(packed, "a") as more:
        more.writestr("__MACOSX/stage_0/._config.json", "x")
        more.writestr(f"{prefix}.DS_Store", "x")
    result = replayed(packed)
    assert (result.status, codes(result, "error", "warning")) == (Status.PASSED, [])


def test_what_is_expected_is_checked_before_the_run(folder, replayed, tmp_path):
    (tmp_path / "expected.zip").write_bytes(b"no zip")
    result = replayed(folder, f"touch {tmp_path}/run", expected=tmp_path / "expected.zip")
    assert (result.status, "expected.zip" in result.message) == (Status.REFUSED, True)
    assert not (tmp_path / "run").exists()


def test_a_zip_without_data_is_called_by_its_name(replayed, zipped, write_folder):
    packed = zipped(write_folder("other", {"readme.md": "x"}), "other.zip")
    assert replayed(packed).message.startswith("There is no data folder in 'other.zip'")
    assert "no outputs in 'other.zip'" in replayed(write_folder("f", {"config.json": {}}), expected=packed).message


def test_a_working_folder_in_the_source_is_refused(tmp_path, replayed, write_folder):
    write_folder(".", {"config.json": {}})  # the working folder of these tests lies in tmp_path
    result = replayed(tmp_path)
    assert (result.status, "which is copied into it" in result.message) == (Status.REFUSED, True)


def test_the_working_folder_may_be_relative(folder, replayed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    component = Component(words=("sh", "-c", COPY), folder="data")
    result = replayed(folder, component=component, work=Path("work"))
    assert (result.status, result.landings[0].destination) == (Status.PASSED, "out.c-a.t")


def test_a_link_that_leads_nowhere_is_named(folder, replayed):
    (folder / "in/tables/lost").symlink_to("nowhere")
    message = replayed(folder).message
    assert "in/tables/lost' cannot be copied" in message
    assert len(message) < 1000


@pytest.mark.parametrize("name", ["none.json", "."])
def test_a_configuration_that_is_not_there_is_refused(folder, replayed, tmp_path, name):
    assert "cannot be read" in replayed(folder, config=tmp_path / name).message


def test_a_configuration_of_a_case_that_is_no_text_is_refused(replayed, write_folder):
    source = write_folder("latin", {"config.json": b'{"parameters": {"a": "\xe9"}}'})
    assert "config.json" in replayed(source, placeholders=True).message


def test_slices_with_columns_equal_a_file_with_a_header(folder, replayed, write_folder):
    expected = write_folder("expected", {"out/tables/t.csv": TABLE, "out/tables/t.csv.manifest": {"columns": []}})
    script = 'cd "$KBC_DATADIR/out/tables"; mkdir t.csv; printf "2,two\n" > t.csv/1; printf "1,one\n" > t.csv/2'
    script += f"; echo '{json.dumps({'columns': ['id', 'name']})}' > t.csv.manifest"
    assert replayed(folder, script, expected=expected).status is Status.EQUAL


@pytest.mark.parametrize("mapping", ["fail", "off"])
def test_columns_of_the_mapping_make_both_sides_headless(replayed, write_folder, mapping):
    table = {"source": "t.csv", "destination": "out.c-a.t", "columns": ["id", "name"]}
    source = write_folder("mapped", {"config.json": {"storage": {"output": {"tables": [table]}}}})
    expected = write_folder("expected", {"out/tables/t.csv": "1,one\n"})
    script = 'printf "1;one\n" > "$KBC_DATADIR/out/tables/t.csv"'
    script += """; echo '{"delimiter": ";"}' > "$KBC_DATADIR/out/tables/t.csv.manifest\""""
    assert replayed(source, script, expected=expected, mapping=mapping).status is Status.EQUAL


@pytest.mark.parametrize("files", [{}, {"readme.md": "x"}])
def test_a_folder_without_data_is_refused(replayed, tmp_path, write_folder, files):
    (tmp_path / "empty").mkdir()
    assert replayed(write_folder("empty", files)).message.startswith("There is no data folder in 'empty'")


def test_an_expected_folder_without_outputs_is_refused(folder, replayed, write_folder):
    assert "no outputs" in replayed(folder, expected=write_folder("odd", {"readme": "x"})).message


def test_a_pipe_in_a_folder_is_refused(folder, replayed):
    os.mkfifo(folder / "in/tables/pipe")
    assert "neither a file nor a folder" in replayed(folder, "true").message


def test_the_working_folder_can_be_kept(folder, replayed, tmp_path):
    result = replayed(folder, keep_work=True)
    (kept,) = (tmp_path / "work").iterdir()
    assert str(kept) in next(remark.text for remark in result.remarks if remark.code == "replay.work")
    assert (kept / "data/out/tables/t.csv").read_text() == TABLE


def test_a_yaml_configuration_is_read(replayed, write_folder):
    source = write_folder("yaml", {"config.yml": "parameters: {'#password': s3cret}\n", "in/tables/t.csv": TABLE})
    result = replayed(source, 'cat "$KBC_DATADIR/config.yml"; touch "$KBC_DATADIR/out/state.yml"')
    assert "[hidden]" in result.stdout
    assert "replay.state" not in codes(result, "warning")


@pytest.mark.parametrize("folder_word", ["data", None])
def test_the_working_directory_is_the_callers_or_the_data_folder(folder, replayed, folder_word):
    result = replayed(folder, component=Component(words=("pwd",), folder=folder_word))
    assert result.stdout.strip().endswith("/data") if folder_word else result.stdout.strip() == str(Path.cwd())


def test_a_program_in_the_data_folder_is_never_ours(folder, replayed):
    (folder / "component").mkdir()
    (folder / "component/__init__.py").write_text("raise SystemExit('taken over')")
    (folder / "config.json").write_text('{"parameters": {"unknown": 1}}')
    result = replayed(folder, component=Component(folder="data"))
    assert (result.exit_code, "unknown" in result.message) == (1, True)


def test_the_configuration_that_comes_with_the_conftest_has_a_secret():
    assert CONFIG["parameters"]["#password"] == "s3cret"
