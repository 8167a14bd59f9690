"""The memory of one search, beyond the network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from models.process import resident_bytes

MAX_BYTES = 150 << 20
PROGRAM = """
import json
import re
import sys
from pathlib import Path

import torch

from models.decoding.decode import decode
from models.decoding.options import DecodingOptions
from models.device import use_threads
from models.process import resident_bytes
from models.networks.packed import pack_linears
from models.registry.checkpoint import load_checkpoint

use_threads(1)
checkpoint = load_checkpoint(Path("checkpoints/spa-eng-transformer"), torch.device("cpu"))
pack_linears(checkpoint.model)
decode(checkpoint.model, checkpoint.tokenizer, "Hola.", DecodingOptions())
start = resident_bytes()
text = "Si no hubiera llovido toda la semana, habríamos llegado antes de que anocheciera. " * 6
long = DecodingOptions(strategy="exact", node_budget=1_200, min_length=59, max_length=60)
trace = decode(checkpoint.model, checkpoint.tokenizer, text, long)
# VmHWM belongs to this process; the maximum of getrusage begins with that of the parent process.
peak = int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
print(json.dumps([peak - start, trace.exploration.expanded, "torch._dynamo" in sys.modules]))
"""


@pytest.mark.full
@pytest.mark.skipif(not resident_bytes(), reason="only Linux tells what a process holds, in kilobytes")
def test_the_memory_of_a_deep_and_wide_search_is_bounded() -> None:
    """The search took 700 to 800 MB while each step that waited had a state of its own.

    The process does not load torch's compiler either, another 70 MB that decoding does not need.
    """
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    growth, expanded, has_compiler = json.loads(done.stdout)
    assert expanded >= 1_200
    assert growth < MAX_BYTES
    assert not has_compiler
