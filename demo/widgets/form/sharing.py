"""The chip “Share”: a link, a link for a class, and files of the tab."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from demo.i18n import in_page
from demo.widgets.chip.component import Chip
from demo.widgets.form.chip import chip_panel
from demo.widgets.share.component import ShareBar


@contextmanager
def share_chip(tab: str, elem_id: str, files: str = "") -> Iterator[ShareBar]:
    """A context manager: widgets of the block stand below the link; `files` as `ShareBar` takes it."""
    with chip_panel(Chip(called=in_page("Share"), render=False), elem_id, "share-chip"):
        yield ShareBar(tab, files=files)
