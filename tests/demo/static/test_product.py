"""The compiled WebAssembly module is that of its source."""

from __future__ import annotations

import pytest

from tests.demo.static.product import MODULE, compiled
from tests.source_modules import ROOT


def test_the_module_is_compiled_from_its_source() -> None:
    if not (ROOT / "node_modules" / "wabt").exists():
        pytest.skip("needs the packages of package.json: make check installs them")
    assert MODULE.read_text(encoding="utf-8") == compiled()
