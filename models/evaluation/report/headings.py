"""The title of a report, and the words for how its systems decoded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from models.evaluation.report.evaluation_report import EvaluationReport, SystemReport


def title_of(report: EvaluationReport) -> str:
    """The names of the systems, after the names of checkpoints that no system's name contains."""
    names = ", ".join(report.names)
    checkpoints = dict.fromkeys(system.checkpoint for system in report.systems)
    missing = [name for name in checkpoints if name not in names]
    return ": ".join((*missing, names))


def decoding_of(system: SystemReport) -> str:
    """The strategy of a system with its settings; "" for outputs made elsewhere."""
    settings = ", ".join(f"{name} {value}" for name, value in system.settings.items())
    return f"{system.decoding} ({settings})" if settings else system.decoding
