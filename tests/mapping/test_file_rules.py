from __future__ import annotations

import json

import pytest
from hypothesis import event, given

from component.folder.out_listing import FileListing, OutFile, OutManifest
from component.mapping.platform.file_model import FileRule
from component.mapping.platform.model import MappingLayer, Origin, Settings
from component.mapping.platform.texts import ERRORS, REASONS
from component.mapping.rules.files import ERA_2017, ERA_2026, FILE_ERAS, resolve_files, resolve_table_files
from tests.strategies import mapping_files, output_mapping

FOO = {"component_id": "foo"}


def files(*names, **manifests):
    """Files by name, and the manifests of some."""
    found = tuple(
        OutManifest(f"{name}.manifest", content if isinstance(content, bytes) else json.dumps(content).encode())
        for name, content in manifests.items()
    )
    return FileListing("/data", tuple(map(OutFile, names)), found)


def resolve(listing, *mapping, era=ERA_2026, **settings):
    return resolve_files(listing, mapping, Settings(**(FOO | settings)), era)


def only_upload(listing, *mapping, **given_settings):
    resolution = resolve(listing, *mapping, **given_settings)
    assert resolution.error is None
    (upload,) = resolution.uploads
    return upload


class TestExecutedCases:
    """F1 to F7 of reference keboola 6.7."""

    def test_f1_a_mapping_replaces_the_manifest(self):
        upload = only_upload(
            files("file1", file1={"tags": ["a", "xxx"], "is_public": True}),
            {"source": "file1", "tags": ["a", "yyy"], "is_public": False},
        )
        assert upload.tags == ("a", "yyy", "componentId: foo")
        assert not upload.is_public
        assert (upload.rule, upload.overrode) == (FileRule.MAPPING, True)

    def test_f2_without_a_mapping_each_manifest_counts(self):
        resolution = resolve(files("file2", "file3", file2={"tags": ["x"]}, file3={"tags": ["y"], "is_public": True}))
        assert [(one.source, one.tags) for one in resolution.uploads] == [
            ("file2", ("x", "componentId: foo")),
            ("file3", ("y", "componentId: foo")),
        ]
        assert {one.rule for one in resolution.uploads} == {FileRule.MANIFEST}

    def test_f3_a_mapped_file_must_be_there(self):
        resolution = resolve(files("file1", file1={}), {"source": "file2"})
        assert (resolution.error.code, resolution.error.text) == ("mapping.file_missing", "File 'file2' not found.")
        assert not resolution.uploads

    def test_f4_a_manifest_needs_its_file(self):
        error = resolve(files(file1={}, file2={})).error
        assert error.text == "Found orphaned file manifest: 'file1.manifest'"

    def test_f5_a_failed_job_uploads_nothing(self):
        resolution = resolve(files("file1", lost={}), {"source": "file2"}, failed_job=True)
        assert (resolution.uploads, resolution.error) == ((), None)

    def test_f6_tables_as_files_have_the_tags_of_table_files_and_are_permanent(self):
        listing = files("table1", table1={"columns": ["x"]})
        resolution = resolve_table_files(listing, {"tags": ["t"]}, Settings(component_id="foo", branch="7"))
        (upload,) = resolution.uploads
        assert upload.tags == ("7-t", "7-componentId: foo", "7-branchId: 7")
        assert (upload.is_permanent, upload.rule, upload.overrode) == (True, FileRule.TABLE_FILES, False)

    def test_f7_the_manifest_of_a_directory_is_an_orphan(self):
        error = resolve(files("x", dir={})).error
        assert error.text == "Found orphaned file manifest: 'dir.manifest'"


class TestOrder:
    def test_missing_files_come_before_orphans(self):
        assert resolve(files(lost={}), {"source": "x"}).error.code == "mapping.file_missing"

    def test_uploads_before_an_error_are_kept(self):
        resolution = resolve(files("a", "b", "c", b=b"{"))
        assert [one.source for one in resolution.uploads] == ["a"]
        assert resolution.error.source == "b"

    def test_a_file_that_nobody_names_is_uploaded_with_the_defaults(self):
        upload = only_upload(files("a"))
        assert upload.rule is FileRule.DEFAULTS
        assert upload.options == {
            "tags": ["componentId: foo"],
            "is_public": False,
            "is_permanent": False,
            "is_encrypted": True,
            "notify": False,
        }
        assert upload.provenance == {"tags": Origin.PLATFORM}

    def test_of_several_mappings_the_last_one_wins(self):
        assert only_upload(files("a"), {"source": "a", "tags": ["x"]}, {"source": "a"}).tags == ("componentId: foo",)

    def test_a_number_is_found_and_then_matches_nothing(self):
        resolution = resolve(files("5"), {"source": 5, "tags": ["x"]}, {"source": 5})
        assert resolution.error.text == "Couldn't process output mapping for file(s) '5'."
        assert [one.tags for one in resolution.uploads] == [("componentId: foo",)]
        assert only_upload(files("5"), {"source": 5, "tags": ["x"]}, era=ERA_2017).tags == ("x",)


class TestLayers:
    def test_a_real_job_fills_in_every_entry_so_it_replaces_the_manifest(self):
        listing = files("a", a={"tags": ["m"]})
        assert only_upload(listing, {"source": "a"}).tags == ("componentId: foo",)
        raw = only_upload(listing, {"source": "a"}, mapping_layer=MappingLayer.RAW)
        assert (raw.tags, raw.rule) == (("m", "componentId: foo"), FileRule.MANIFEST)

    def test_an_invalid_entry_stops_a_real_job_at_once(self):
        resolution = resolve(files("a", "b"), {"source": "b", "wrong": 1})
        assert (resolution.error.code, resolution.uploads) == ("mapping.entry", ())
        assert resolution.error.text.startswith('Unrecognized option "wrong" under "file".')

    def test_an_invalid_raw_entry_stops_its_file(self):
        resolution = resolve(files("a", "b"), {"source": "b", "wrong": 1}, mapping_layer=MappingLayer.RAW)
        assert [one.source for one in resolution.uploads] == ["a"]
        assert resolution.error.text == "Failed to write manifest for table out/files/b."
        assert resolution.error.reason == "mapping.node.unknown"

    def test_in_2017_every_job_filled_in_its_entries(self):
        resolution = resolve(files("b"), {"source": "b", "wrong": 1}, era=ERA_2017, mapping_layer=MappingLayer.RAW)
        assert resolution.error.code == "mapping.entry"

    @pytest.mark.parametrize("value", ["text", 5, None, {"source": []}])
    def test_a_raw_entry_that_is_none_is_an_application_error(self, value):
        assert resolve(files("a"), value, mapping_layer=MappingLayer.RAW).error.code == "mapping.application"

    def test_an_entry_without_a_source_is_refused(self):
        assert resolve(files("a"), {}).error.text == 'The child config "source" under "file" must be configured.'
        assert resolve(files("a"), {}, mapping_layer=MappingLayer.RAW).error.text == "File '' not found."


class TestManifests:
    def test_one_that_does_not_parse_is_named_with_its_path(self):
        assert resolve(files("a", a=b"{")).error.text == (
            'Failed to parse manifest file "/data/out/files/a.manifest" as "json": Syntax error'
        )
        assert resolve(files("a", a=b"{"), era=ERA_2017).error.text == (
            "Failed to parse manifest file /data/out/files/a.manifest as json Syntax error"
        )

    def test_unknown_options_are_refused(self):
        assert resolve(files("a", a={"column": 1})).error.text.endswith(
            'as "json": Unrecognized option "column" under "file". Available options are "is_encrypted", '
            '"is_permanent", "is_public", "notify", "tags".'
        )

    def test_flags_are_strict_and_null_is_true(self):
        assert resolve(files("a", a={"is_public": 1})).error.reason == "mapping.node.type"
        assert only_upload(files("a", a={"is_public": None})).is_public

    def test_null_and_the_empty_list_are_empty_manifests(self):
        for data in (b"null", b"[]", b"{}"):
            assert only_upload(files("a", a=data)).rule is FileRule.MANIFEST

    def test_a_scalar_is_none(self):
        assert 'Unrecognized option "0" under "file"' in resolve(files("a", a=b"5")).error.text
        assert 'Invalid type for path "file"' in resolve(files("a", a=b"5"), era=ERA_2017).error.text


class TestTags:
    def test_system_tags_follow_in_their_order_and_a_branch_prefixes_all(self):
        facts = {"config_id": "12", "config_row_id": "3", "run_id": "9"}
        listing = files("a", a={"tags": ["x", "x", 5]})
        own, system = ["x", "5"], ["componentId: foo", "configurationId: 12", "configurationRowId: 3"]
        assert list(only_upload(listing, **facts).tags) == [*own, *system, "runId: 9"]
        in_branch = [*own, *system, "branchId: 7", "runId: 9"]
        assert list(only_upload(listing, branch="7", **facts).tags) == [f"7-{tag}" for tag in in_branch]
        assert only_upload(listing, **facts).provenance["tags"] is Origin.MERGED

    def test_in_2017_there_were_none(self):
        upload = only_upload(files("a", a={"tags": ["x", "x"]}), era=ERA_2017, branch="7", run_id="9")
        assert upload.tags == ("x",)
        assert upload.provenance == {"tags": Origin.MANIFEST}

    def test_every_option_that_somebody_gave_has_its_origin(self):
        upload = only_upload(files("a", a={"is_encrypted": False, "notify": False}))
        assert upload.provenance == {"is_encrypted": Origin.MANIFEST, "tags": Origin.PLATFORM}


class TestTableFiles:
    def test_a_manifest_without_its_file_is_an_orphan_here_too(self):
        error = resolve_table_files(files("a", dir={}), {}, Settings()).error
        assert error.code == "mapping.file_orphaned_manifest"

    def test_other_options_are_refused(self):
        error = resolve_table_files(files("a"), {"is_public": True}, Settings()).error
        assert error.text == "Failed to write manifest for table out/tables/a."

    def test_a_failed_job_uploads_nothing(self):
        assert not resolve_table_files(files("a", dir={}), {}, Settings(failed_job=True)).error


@pytest.mark.parametrize("era", FILE_ERAS.values(), ids=list(FILE_ERAS))
@given(listing=mapping_files.listings(), mapping=mapping_files.mappings(), settings=output_mapping.settings)
def test_any_files_and_mapping_have_a_resolution(era, listing, mapping, settings):
    before = json.dumps(mapping)
    resolution = resolve_files(listing, mapping, settings, era)
    event("error" if resolution.error else "resolved")
    if resolution.error is not None:
        assert resolution.error.code in ERRORS
        assert resolution.error.reason is None or resolution.error.reason in REASONS
    elif not settings.failed_job:
        assert [one.source for one in resolution.uploads] == [file.name for file in listing.files]
    for upload in resolution.uploads:
        assert len(set(upload.tags)) == len(upload.tags)
        assert all(isinstance(flag, bool) for key, flag in upload.options.items() if key != "tags")
    assert json.dumps(mapping) == before
