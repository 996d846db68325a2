"""component_config/ is what the script writes, complete, and passes what a machine can check of the review."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from PIL import Image

from component.actions.dispatch import ACTIONS
from component.config.load import load_config
from component.errors import UserError
from component.folder.layout import DataFolder
from component.plan.build import build_plan
from component.plan.sources import find_sources
from scripts.registration.icon import icon
from scripts.write_component_config import TARGET, files, write

ROOT = Path(__file__).parents[2]
FILES = files()
NAMES = [
    *("configSchema.json", "configRowSchema.json", "configuration_description.md", "component_short_description.md"),
    *("component_long_description.md", "documentationUrl.md", "licenseUrl.md", "sourceCodeUrl.md", "logger"),
    *("loggerConfiguration.json", "uiOptions.md", "actions.md", "stack_parameters.json", "sample-config/config.json"),
]
JSON_FILES = [name for name in FILES if name.endswith(".json") or name in {"uiOptions.md", "actions.md"}]


def text(name):
    return (TARGET / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_as_the_script_writes_it(name):
    assert (TARGET / name).read_bytes() == FILES[name], "run: python scripts/write_component_config.py"


def test_nothing_is_left_of_older_forms():
    there = {path.relative_to(TARGET).as_posix() for path in TARGET.rglob("*") if path.is_file()}
    assert there == {*FILES, "icon.png"}


@pytest.mark.parametrize("name", NAMES)
def test_what_the_portal_takes_is_there(name):
    assert text(name).strip()


@pytest.mark.parametrize("name", JSON_FILES)
def test_what_the_portal_decodes_is_json(name):
    json.loads(FILES[name])


def test_everything_can_be_written_anew(tmp_path):
    write(tmp_path)
    assert (tmp_path / "icon.png").read_bytes() == icon()
    assert (tmp_path / "actions.md").read_bytes() == FILES["actions.md"]


def test_the_actions_are_those_of_the_code():
    assert json.loads(text("actions.md")) == list(ACTIONS)


def test_the_icon_is_large_enough_and_its_ground_is_transparent():
    with Image.open(TARGET / "icon.png") as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGBA", (256, 256))
        corners = [(0, 0), (255, 0), (0, 255), (255, 255)]
        assert all(image.getpixel(corner)[3] == 0 for corner in corners)
        assert image.getchannel("A").histogram()[255] > 256 * 256 / 4, "something is drawn"


def test_the_icon_is_what_the_script_draws():
    with Image.open(TARGET / "icon.png") as there, Image.open(io.BytesIO(icon())) as drawn:
        assert there.tobytes() == drawn.tobytes()


def test_the_description_of_the_configuration_has_headings_of_levels_3_and_4_only():
    headings = re.findall(r"^(#+) ", text("configuration_description.md"), re.MULTILINE)
    assert set(headings) <= {"###", "####"}
    assert headings


def test_the_short_description_is_of_the_service():
    short = text("component_short_description.md")
    assert len(short) < 150
    assert not re.search(r"\b(this|extractor|application|writer|component)\b", short, re.IGNORECASE)


@pytest.mark.parametrize("name", ["documentationUrl.md", "licenseUrl.md", "sourceCodeUrl.md"])
def test_a_url_is_one_line_with_tls(name):
    assert re.fullmatch(r"https://[^\s/]+/\S+\n", text(name))


@pytest.mark.parametrize(("name", "path"), [("licenseUrl.md", "LICENSE.md"), ("documentationUrl.md", "README.md")])
def test_a_url_leads_to_a_file_of_the_repository(name, path):
    assert text(name).strip().endswith(f"/{path}")
    assert (ROOT / path).is_file()


def test_the_logger_is_gelf_and_shows_no_faults_of_ours_to_users():
    assert text("logger") == "gelf\n"
    configuration = json.loads(text("loggerConfiguration.json"))
    assert configuration["gelf_server_type"] == "tcp"
    levels = {int(level): how for level, how in configuration["verbosity"].items()}
    assert sorted(levels) == [100, 200, 250, 300, 400, 500, 550, 600]
    assert {levels[level] for level in (500, 550, 600)} == {"camouflage"}


def test_table_outputs_are_not_mapped_by_hand():
    options = json.loads(text("uiOptions.md"))
    assert "genericDockerUI-tableOutput" not in options
    assert {"genericDockerUI-tableInput", "genericDockerUI-fileInput"} <= set(options)


# --- the sample ---


@pytest.fixture
def sample(tmp_path):
    return Path(shutil.copytree(TARGET / "sample-config", tmp_path / "data"))


def test_the_sample_is_a_whole_data_folder_that_can_be_planned(sample):
    folder = DataFolder(sample)
    sources, warnings = find_sources(folder)
    plan = build_plan(load_config(sample), sources)
    assert warnings == ()
    assert [dataset.uuid for dataset in plan.datasets] == ["airlines"]
    assert [output.destination for output in plan.outputs] == ["out.c-sample.airlines"]
    assert plan.store_url is None


@pytest.mark.spark
def test_the_sample_runs(sample, engine, capfd):
    import contextlib

    from component.cli.run import run_folder

    assert run_folder({}, sample, start=lambda *_: contextlib.nullcontext(engine)) == 0
    assert capfd.readouterr().err == ""
    assert json.loads((sample / "out/tables/airlines.manifest").read_bytes())["destination"] == "out.c-sample.airlines"
    assert (sample / "out/files/airlines.dataset.zip").is_file()


# --- the review checklist: what a run says of wrong configurations (reference keboola 8.4) ---


@pytest.mark.parametrize(
    "document",
    [
        "text",
        {"parameters": "text"},
        {"parameters": {"datasets": {"uuid": "a"}}},
        {"parameters": {"datasets": [{}]}},
        {"parameters": {"datasets": [{"uuid": "a", "partition_on": "b"}]}},
        {"parameters": {"datasets": [{"uuid": 7}]}},
        {"parameters": {"whatever": True}},
        {"parameters": {"store": {"url": 1}}},
        {"parameters": {"outputs": [{"dataset": "?!"}]}},
    ],
    ids=str,
)
def test_a_wrong_configuration_is_an_error_of_the_user_with_its_place(tmp_path, document):
    (tmp_path / "config.json").write_text(json.dumps(document))
    with pytest.raises(UserError) as refused:
        load_config(tmp_path)
    assert refused.value.exit_code == 1
    assert "\n" not in str(refused.value)


def test_an_empty_configuration_without_input_is_an_error_of_the_user(tmp_path, engine, capfd):
    import contextlib

    from component.cli.run import run_folder

    (tmp_path / "config.json").write_text("{}")
    assert run_folder({}, tmp_path, start=lambda *_: contextlib.nullcontext(engine)) == 1
    assert "or map an input to the component." in capfd.readouterr().err


# --- the release ---


def workflow(name):
    return yaml.safe_load((ROOT / ".github/workflows" / name).read_text(encoding="utf-8"))


def test_a_release_is_a_tag_without_v():
    release = workflow("release.yml")
    assert release[True] == {"push": {"tags": ["[0-9]+.[0-9]+.[0-9]+"]}}, "YAML reads `on` as true"
    commands = [step.get("run", "") for step in release["jobs"]["release"]["steps"]]
    order = ["check_release.sh", ".ci/run", "push_release.sh tablemill", "update_portal.sh", "--activate"]
    places = [next(place for place, command in enumerate(commands) if one in command) for one in order]
    assert places == sorted(places), "nothing is pushed before everything is tested, nothing activated before pushed"


@pytest.mark.parametrize("name", ["release.yml", "ci.yml"])
def test_a_workflow_may_only_read_the_repository_and_runs_what_is_there(name):
    found = workflow(name)
    assert found["permissions"] == {"contents": "read"}
    commands = [step["run"].split()[0] for job in found["jobs"].values() for step in job["steps"] if "run" in step]
    assert commands
    assert all((ROOT / command).stat().st_mode & 0o111 for command in commands)


@pytest.mark.parametrize("tag", ["v1.2.3", "1.2", "1.2.3-rc1", "1.2.3.4", "latest", "", "1.2.3\n"])
def test_what_is_no_version_is_not_released(tag):
    command = [str(ROOT / "scripts/check_release.sh"), tag, "HEAD"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "is no version" in ended.stderr


def test_a_tag_that_is_not_the_projects_version_is_not_released():
    command = [str(ROOT / "scripts/check_release.sh"), "999.0.0", "HEAD"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "pyproject.toml says" in ended.stderr


def test_every_property_file_has_its_property():
    script = (ROOT / "scripts/update_portal.sh").read_text(encoding="utf-8")
    named = set(re.findall(r"^\w+ (\S+)$", script.split("<<'PROPERTIES'\n")[1].split("PROPERTIES")[0], re.MULTILINE))
    assert named == {name for name in FILES if not name.startswith("sample-config/")}


@pytest.fixture
def portal(tmp_path, monkeypatch):
    """A docker that writes down what it is asked, and answers as the portal does."""
    calls = tmp_path / "calls"
    program = tmp_path / "bin" / "docker"
    program.parent.mkdir()
    program.write_text(
        "#!/usr/bin/env bash\n"
        f'printf "%s\\n" "${{*//$\'\\n\'/ }}" >> {calls}\n'
        'case "$*" in *ecr:get-repository*) echo registry.test/acme/tablemill ;; *ecr:get-login*) echo true ;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    for name in ("PORTAL_CLI_IMAGE", "KBC_DEVELOPERPORTAL_USERNAME", "KBC_DEVELOPERPORTAL_PASSWORD"):
        monkeypatch.setenv(name, f"the-{name.lower()}")
    monkeypatch.setenv("VENDOR", "acme")
    monkeypatch.setenv("COMPONENT", "acme.app-tablemill")
    return calls


def run_script(name, *arguments):
    return subprocess.run(
        [str(ROOT / "scripts" / name), *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )


def test_properties_are_updated_one_by_one_and_empty_ones_left_out(portal, tmp_path):
    folder = Path(shutil.copytree(TARGET, tmp_path / "config"))
    (folder / "uiOptions.md").write_text("")
    ended = run_script("update_portal.sh", str(folder))
    assert (ended.returncode, ended.stderr) == (0, "")
    calls = portal.read_text().splitlines()
    assert len(calls) == 12
    assert "update-app-property acme acme.app-tablemill logger --value=gelf" in calls[8]
    assert "left out: uiOptions" in ended.stdout
    assert all("the-kbc_developerportal_password" not in call for call in calls)


def test_an_image_is_pushed_where_the_portal_says_and_then_activated(portal):
    assert run_script("push_release.sh", "tablemill", "1.2.3").returncode == 0
    assert run_script("push_release.sh", "--activate", "tablemill", "1.2.3").returncode == 0
    calls = portal.read_text().splitlines()
    assert calls[2:4] == [
        "tag tablemill registry.test/acme/tablemill:1.2.3",
        "push registry.test/acme/tablemill:1.2.3",
    ]
    assert calls[-1].endswith("update-app-repository acme acme.app-tablemill 1.2.3 ecr registry.test/acme/tablemill")


def test_an_image_is_not_pushed_where_the_registry_lets_nobody_in(portal, tmp_path):
    program = tmp_path / "bin" / "docker"
    program.write_text(program.read_text().replace("*ecr:get-login*) echo true", "*ecr:get-login*) exit 1"))
    assert run_script("push_release.sh", "tablemill", "1.2.3").returncode != 0
    assert "push registry.test" not in portal.read_text()


def test_a_release_without_credentials_does_nothing(portal, monkeypatch):
    monkeypatch.delenv("KBC_DEVELOPERPORTAL_PASSWORD")
    assert run_script("push_release.sh", "tablemill", "1.2.3").returncode != 0
    assert not portal.exists()
