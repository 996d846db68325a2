"""`resolveDestinations`: where each output of the configuration will land, and which rule decides it.

It is the prediction of a run. Where there are no inputs, as on the platform, the columns that nobody names are unknown;
they have no part in a destination.
"""

from __future__ import annotations

from typing import Any

from component.actions.messages import MessageType, markdown_table, message
from component.actions.parameters import whole_config
from component.actions.request import Request
from component.config.load import placed
from component.errors import UserError
from component.findings import Level
from component.folder.layout import DataFolder
from component.mapping.jobs.job import JobResolution
from component.report.results.resolution import ResolutionReport, render_resolution_json, why_words
from component.runner.destinations import Outcome
from component.runner.predict import foresee


def resolve_destinations(request: Request) -> dict[str, Any]:
    """Return where each output would land; what the platform would refuse is an answer, not a failure.

    The errors of `parse_config` and of `foresee` for a configuration that no run would take; `source.missing` when
    nothing is there.
    """
    environment = request.environment
    config = placed(whole_config(request), environment.data_dir)
    prediction = foresee(DataFolder(environment.data_dir), config, environment)
    if prediction is None:
        raise UserError(
            "source.missing",
            "There is nothing to resolve: no output is configured, and no table is in the input mapping",
            remedy="Map an input to the component, or configure an output.",
        )
    return _answer(prediction.made())


def _answer(outcome: Outcome) -> dict[str, Any]:
    job = outcome.job
    rows = [[load.source, load.destination, why_words(load)] for load in job.loads]
    rows += [[upload.source, "file", ", ".join(upload.tags)] for upload in job.uploads]
    refused = job.refusal
    parts = [f"**The platform would refuse this:** {refused.text} {refused.remedy}".rstrip()] if refused else []
    parts += [markdown_table(["output", "lands in", "decided by"], rows)] if rows else []
    notes = [finding for finding in job.findings if finding.level is not Level.WARNING]
    parts += [f"- {finding.level.value}: {finding.sentence}" for finding in (*job.warnings, *notes)]
    report = render_resolution_json(ResolutionReport(job, outcome.tables, outcome.files, predicted=True))
    return message("\n\n".join(parts), _kind(job), resolution=report)


def _kind(job: JobResolution) -> MessageType:
    if job.refusal is not None:
        return "error"
    return "warning" if job.warnings else "info"
