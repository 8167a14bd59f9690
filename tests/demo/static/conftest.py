"""The site that tests of this folder read."""

from tests.demo.static.site import site_folder

__all__ = ["site_folder"]
