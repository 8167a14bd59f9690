"""Methods of attribution: the app offers every `Method` that a file of this folder holds."""

from __future__ import annotations

from models.discovery import discover
from models.inspection.methods.method import Method

METHODS = {
    method.name: method for method in sorted(discover(__name__, Method), key=lambda method: method.position)
}
