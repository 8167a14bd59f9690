"""The course as a map: chapters with their lessons; only the browser stores the progress.

Root element: `section.course`, inside the block that `elem_id` names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from demo.widgets.view.view import View, with_colours


class CourseMap(View):
    """Shows the lessons, which its script requests and opens; it has no value and no event."""

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """`server_functions`: `course` lists the lessons in their order."""
        super().__init__(
            "learn/course_map",
            style=with_colours(".course", "learn/course_map/view.css"),
            elem_id=elem_id,
            server_functions=list(server_functions),
        )
