"""The parameters in docs/links.md."""

from __future__ import annotations

import re
from pathlib import Path

from demo.links.parameters import PARAMETERS, SETTINGS

TEXT = (Path(__file__).parents[3] / "docs" / "links.md").read_text(encoding="utf-8")


def test_every_parameter_is_named() -> None:
    parameters = {name for names in PARAMETERS.values() for name in names}
    named = set(re.findall(r"`(\w+)`", TEXT))
    assert parameters - set(SETTINGS) <= named
