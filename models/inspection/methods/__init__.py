"""Methods of attribution: whatever file of this folder describes some is offered everywhere."""

from __future__ import annotations

from models.discovery import discover
from models.inspection.methods.method import Method

METHODS = {
    method.name: method for method in sorted(discover(__name__, Method), key=lambda method: method.position)
}
