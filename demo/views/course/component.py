"""The course as a map: chapters with their lessons; what was done is known to the browser alone.

Root element: `section.course`, inside the block that `elem_id` names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from demo.views.shared.view import View, coloured


@dataclass(frozen=True)
class Line:
    """One lesson on the map; texts by the codes of the page's languages."""

    id: str
    chapter: str  # its title, marked by `in_page`
    title: Mapping[str, str]
    reading: Mapping[str, str]
    minutes: int
    steps: int


class CourseMap(View):
    """Its script opens lessons; it has no value and no event."""

    def __init__(self, lines: Sequence[Line], *, elem_id: str) -> None:
        """`lines` in the order of the course; neighbours of one chapter stand below its title."""
        super().__init__(
            "course",
            style=coloured(".course", "course/view.css"),
            elem_id=elem_id,
            lines=[asdict(line) for line in lines],
        )

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "string", "description": "Nothing: the map opens lessons by itself."}
