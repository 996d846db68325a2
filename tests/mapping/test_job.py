from __future__ import annotations

import pytest
from hypothesis import event, given

from component.errors import UserError
from component.folder.out_listing import FileListing, OutFile, OutListing, OutManifest, OutSource, Unseen, UnseenKind
from component.mapping.findings.texts import FINDINGS
from component.mapping.jobs.job import JobPart, OutputMapping, resolve_job
from component.mapping.jobs.resolve import RULE_SETS
from component.mapping.platform.model import DataTypes, Feature, Settings
from tests.strategies import mapping_files, output_mapping

TABLES = OutListing("/data", (OutSource("a.csv", size=1),))
FILES = FileListing("/data", (OutFile("f"),))
BUCKET = Settings(bucket="in.c-main")
ORPHAN = (OutManifest("lost.manifest", b"{}"),)
TODAY_AND_THEN = pytest.mark.parametrize("rules", ["seed", "2017", "2026"])


class TestOrder:
    def test_today_files_come_first_and_then_tables(self):
        job = resolve_job(TABLES, FILES, OutputMapping(), BUCKET)
        assert job.order == job.reached == (JobPart.FILES, JobPart.TABLES)
        assert [load.destination for load in job.loads] == ["in.c-main.a"]
        assert [upload.source for upload in job.uploads] == ["f"]
        assert job.error is None

    @pytest.mark.parametrize("rules", ["seed", "2017"])
    def test_then_tables_came_first(self, rules):
        assert resolve_job(TABLES, FILES, OutputMapping(), BUCKET, rules).order == (JobPart.TABLES, JobPart.FILES)

    def test_an_error_about_files_keeps_tables_out_today(self):
        broken = FileListing("/data", FILES.files, ORPHAN)
        job = resolve_job(TABLES, broken, OutputMapping(), BUCKET)
        assert (job.loads, job.reached, job.error.code) == ((), (JobPart.FILES,), "mapping.file_orphaned_manifest")
        assert job.tables.loads
        job = resolve_job(TABLES, broken, OutputMapping(), BUCKET, "2017")
        assert (len(job.loads), job.error.code) == (1, "mapping.file_orphaned_manifest")

    def test_an_error_about_tables_kept_files_out_then(self):
        broken = OutListing("/data", TABLES.sources, ORPHAN)
        job = resolve_job(broken, FILES, OutputMapping(), BUCKET, "2017")
        assert (job.uploads, job.error.code) == ((), "mapping.orphaned_manifest_2017")
        job = resolve_job(broken, FILES, OutputMapping(), BUCKET)
        assert (len(job.uploads), job.error.code) == (1, "mapping.orphaned_manifest")

    def test_the_log_is_of_what_is_reached(self):
        named = OutListing("/data", (OutSource("in.c-x.t", size=1),))
        assert len(resolve_job(named, FILES, OutputMapping(), Settings()).log) == 1
        broken = FileListing("/data", (), ORPHAN)
        assert resolve_job(named, broken, OutputMapping(), Settings()).log == ()

    def test_findings_are_of_both_whether_reached_or_not(self):
        broken = FileListing("/data", (), ORPHAN, (Unseen("lost", UnseenKind.FOLDER),))
        job = resolve_job(OutListing("/data", unseen=(Unseen(".x", UnseenKind.DOT),)), broken, OutputMapping(), BUCKET)
        assert [one.code for one in job.findings] == [
            "finding.folder_manifest",
            "finding.folder_dropped",
            "finding.dot_file",
        ]

    def test_a_failed_job_loads_tables_marked_so_and_no_files(self):
        tables = OutListing("/data", TABLES.sources, (OutManifest("a.csv.manifest", b'{"write_always": true}'),))
        job = resolve_job(tables, FILES, OutputMapping(), Settings(bucket="in.c-main", failed_job=True))
        assert (len(job.loads), job.uploads) == (1, ())

    def test_errors_that_a_failed_job_ignores_are_kept(self):
        job = resolve_job(TABLES, FILES, OutputMapping(), Settings(failed_job=True))
        assert [one.code for one in job.swallowed] == ["mapping.no_destination"]


class TestDefaultBucket:
    """Rows 78 to 80 of reference keboola 6.7."""

    @pytest.mark.parametrize(
        ("stage", "configured", "bucket"),
        [
            (None, None, None),
            ("in", None, "in.c-test-component-test-config-id"),
            ("in", "in.c-custom-bucket", "in.c-custom-bucket"),
            (None, "in.c-custom-bucket", "in.c-custom-bucket"),
            ("out", "", "out.c-test-component-test-config-id"),
        ],
    )
    @TODAY_AND_THEN
    def test_it_comes_from_the_configuration_or_from_the_component(self, stage, configured, bucket, rules):
        settings = Settings(
            component_id="test.component", config_id="test-config-id", config_row_id="9", default_bucket_stage=stage
        )
        job = resolve_job(TABLES, FILES, OutputMapping(default_bucket=configured), settings, rules)
        assert [load.destination for load in job.loads] == ([] if bucket is None else [f"{bucket}.a"])

    def test_a_bare_name_in_a_manifest_lands_in_it(self):
        listing = OutListing(
            "/data",
            (OutSource("sliced.csv", size=1),),
            (OutManifest("sliced.csv.manifest", b'{"destination": "sliced"}'),),
        )
        settings = Settings(component_id="docker-demo", config_id="testConfig", default_bucket_stage="in")
        (load,) = resolve_job(listing, FILES, OutputMapping(), settings).loads
        assert load.destination == "in.c-docker-demo-testConfig.sliced"

    @TODAY_AND_THEN
    def test_a_bucket_in_the_settings_wins(self, rules):
        settings = Settings(bucket="out.c-asked", component_id="x", default_bucket_stage="in")
        job = resolve_job(TABLES, FILES, OutputMapping(default_bucket="in.c-custom"), settings, rules)
        assert [load.destination for load in job.loads] == ["out.c-asked.a"]

    def test_without_a_configuration_it_is_an_error_today_after_the_files(self):
        settings = Settings(component_id="x", default_bucket_stage="in")
        job = resolve_job(TABLES, FILES, OutputMapping(), settings)
        assert job.error.text == "Configuration ID not set, but is required for default_bucket option."
        assert (job.loads, len(job.uploads)) == ((), 1)

    @pytest.mark.parametrize("rules", ["seed", "2017"])
    def test_without_a_configuration_it_was_an_error_before_anything(self, rules):
        settings = Settings(component_id="x", default_bucket_stage="in")
        job = resolve_job(TABLES, FILES, OutputMapping(), settings, rules)
        assert job.error.code == "mapping.no_configuration"
        assert (job.loads, job.uploads, job.reached) == ((), (), ())


class TestDataTypes:
    def test_those_of_the_configuration_win_on_projects_with_native_types(self):
        settings = Settings(bucket="in.c-main", features=frozenset({Feature.NATIVE_TYPES}))
        output = OutputMapping(data_types=DataTypes.HINTS)
        assert resolve_job(TABLES, FILES, output, settings).error.code == "mapping.schema_missing"
        assert resolve_job(TABLES, FILES, OutputMapping(), settings).error is None

    def test_those_of_the_configuration_count_for_nothing_elsewhere(self):
        assert resolve_job(TABLES, FILES, OutputMapping(data_types=DataTypes.HINTS), BUCKET).error is None


class TestTableFiles:
    SLICED = OutListing("/data", (*TABLES.sources, OutSource("s", sliced=True)))

    def test_tables_are_uploaded_as_files_after_the_files(self):
        output = OutputMapping(table_files={"tags": ["t"]}, tables=({"source": "not there"},))
        job = resolve_job(self.SLICED, FILES, output, Settings(table_files_only=True))
        assert [(one.source, one.tags, one.is_permanent) for one in job.uploads] == [
            ("f", (), False),
            ("a.csv", ("t",), True),
        ]
        assert (job.loads, job.error) == ((), None)
        assert "finding.folder_dropped" in [one.code for one in job.findings]

    def test_an_error_about_them_comes_after_the_files(self):
        job = resolve_job(self.SLICED, FILES, OutputMapping(table_files={"x": 1}), Settings(table_files_only=True))
        assert job.error.code == "mapping.file_options"
        assert [one.source for one in job.uploads] == ["f"]

    def test_the_mode_was_unknown_in_2017(self):
        job = resolve_job(TABLES, FILES, OutputMapping(), Settings(bucket="in.c-main", table_files_only=True), "2017")
        assert len(job.loads) == 1


class TestOutputMapping:
    def test_everything_is_read(self):
        output = {
            "tables": [{"source": "a"}],
            "files": [{"source": "f"}],
            "default_bucket": "in.c-x",
            "data_type_support": "hints",
            "table_files": {"tags": ["t"]},
            "table_modifications": "none",
        }
        assert OutputMapping.read(output) == OutputMapping(
            ({"source": "a"},), ({"source": "f"},), "in.c-x", DataTypes.HINTS, {"tags": ["t"]}
        )

    @pytest.mark.parametrize(
        "output",
        [
            {},
            {"tables": [], "files": [], "default_bucket": None, "data_type_support": None, "table_files": []},
            {"tables": 5, "files": "x", "default_bucket": 5, "data_type_support": "x", "table_files": 5},
            {"data_type_support": []},
        ],
    )
    def test_what_has_another_form_is_absent(self, output):
        assert OutputMapping.read(output) == OutputMapping()

    def test_a_list_with_gaps_is_a_list(self):
        assert OutputMapping.read({"tables": {"0": 1, "2": 3}}).tables == (1, 3)


@pytest.mark.parametrize("refused", [False, True])
def test_an_unknown_rule_set_is_an_error(refused):
    settings = Settings(default_bucket_stage="in") if refused else Settings()
    with pytest.raises(UserError) as caught:
        resolve_job(TABLES, FILES, OutputMapping(), settings, "2038")
    assert caught.value.code == "config.value"


@TODAY_AND_THEN
@given(
    tables=output_mapping.listings(),
    files=mapping_files.listings(),
    table_mapping=output_mapping.mappings(),
    file_mapping=mapping_files.mappings(),
    settings=output_mapping.settings,
)
def test_any_outputs_have_a_resolution(rules, tables, files, table_mapping, file_mapping, settings):
    output = OutputMapping(tuple(table_mapping), tuple(file_mapping))
    job = resolve_job(tables, files, output, settings, rules)
    event("error" if job.error else "resolved")
    assert job.rules == job.tables.rules == job.files.rules == rules
    assert (job.error is None) == (len(job.reached) == 2 and not job.tables.error and not job.files.error)
    assert all(one.code in FINDINGS for one in job.findings)
    assert rules in RULE_SETS
