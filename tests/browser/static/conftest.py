"""The page without a server at an address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.demo.static.site import served, site_folder

__all__ = ["site_folder"]
FRAME = '<!doctype html><title>A course</title><iframe src="unrolled/" width="1200" height="800"></iframe>'


@pytest.fixture(scope="package")
def root(site_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a server, with the site in a folder and a page that frames it."""
    root = tmp_path_factory.mktemp("root")
    (root / "unrolled").symlink_to(site_folder)
    (root / "course.html").write_text(FRAME, encoding="utf-8")
    return root


@pytest.fixture(scope="package")
def site(root: Path) -> Iterator[str]:
    """The address of the site, which ends with a slash."""
    with served(root) as address:
        yield f"{address}unrolled/"
