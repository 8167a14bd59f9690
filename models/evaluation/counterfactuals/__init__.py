"""Changes of a source text: whatever file of this folder describes some is offered everywhere.

Loads no torch. What the changes do to a checkpoint's outputs is measured by `models.evaluation.damage`.
"""

from __future__ import annotations

from models.discovery import discover
from models.evaluation.counterfactuals.counterfactual import Counterfactual

COUNTERFACTUALS = {
    change.name: change
    for change in sorted(discover(__name__, Counterfactual), key=lambda change: change.position)
}
