"""Changes of a source text: the app offers every `Counterfactual` that a file of this folder holds.

The page and the reports call a text after such a change a changed source. `models.evaluation.report.damage`
measures the effect of the changes on a checkpoint's outputs. Imports no torch.
"""

from __future__ import annotations

from models.discovery import discover
from models.evaluation.counterfactuals.counterfactual import Counterfactual

COUNTERFACTUALS = {
    change.name: change
    for change in sorted(discover(__name__, Counterfactual), key=lambda change: change.position)
}
