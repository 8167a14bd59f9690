"""The program of a decoding: “This in PyTorch” fills a template with the tokens on the page.

The program prints the probability of each token of the output, whatever strategy has found the output. The
templates are read, not imported. To run the program, a reader needs torch and the checkpoint's folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from demo.i18n.display import display_token
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError, check_name, check_text
from demo.work.requests.edit import token_ids
from demo.work.watch import Watch
from models.decoding.limits import no_such_token
from models.registry.name import CheckpointName

FOLDER = Path(__file__).parent / "pytorch"
# A program is `frame.py` with three parts of a network's file in place of these lines of it.
FRAME, MARKS = "frame", ("# TITLE\n", "\n# IMPORT\n", "output_log_probs = []\n")
_NETWORK = re.compile(r"(.*?\n).*\nfrom frame .*?\n(.*?\n)\n(.*)", re.DOTALL)


def template(architecture: str) -> str:
    """The program for a kind of network, without values."""
    program, network = ((FOLDER / f"{name}.py").read_text(encoding="utf-8") for name in (FRAME, architecture))
    parts = _NETWORK.fullmatch(network)
    assert parts is not None
    for mark, part in zip(MARKS, parts.groups(), strict=True):
        program = program.replace(mark, part, 1)
    return program


def scoring_program(context: AppContext, data: object, _: Watch | None = None) -> dict[str, str]:
    """The program of the current output, with the name of its file without ".py".

    Raises RequestError, also if there is none.
    """
    request = data if isinstance(data, Mapping) else {}
    checkpoint, text = request.get("checkpoint"), request.get("text")
    check_name(checkpoint)
    check_text(text)
    checkpoint, text = str(checkpoint), str(text)
    context.check_fits(checkpoint, text)
    output = token_ids("output", request.get("output", ()))
    if not output:
        raise RequestError("no_token_in_output", "There is nothing to score: the output has no token.")
    network = context.config(checkpoint).network
    architecture = network["architecture"]
    checkpoint_name = CheckpointName.of(checkpoint)
    supported = network.get("attention", "none") in {"additive", "none"} and network.get("pre_norm", True)
    if not (FOLDER / f"{architecture}.py").is_file() or not supported:
        raise RequestError("no_program_for_network", "There is no program for this kind of checkpoint yet.")
    if checkpoint_name.variant or checkpoint_name.base not in context.registry.names():
        raise RequestError("no_program_for_stranger", "Only checkpoints of this server have a program.")
    tokenizer = context.tokenizer(checkpoint)
    for token_id in output:  # the trace may come from another network of this name
        if token_id >= tokenizer.vocab_size:
            raise RequestError(no_such_token(token_id, tokenizer.vocab_size))
    values = {
        "SOURCE": list(tokenizer.encode(text).ids),
        "OUTPUT": list(output),
        "TOKENS": [display_token(tokenizer.token(item)) for item in output],
        "START": tokenizer.bos_id,
    }
    program = template(architecture).replace("checkpoints/NAME", f"checkpoints/{checkpoint_name.base}", 1)
    for name, value in values.items():
        line = f"{name} = {json.dumps(value, ensure_ascii=False)}"
        slot = re.search(rf"^{name} = [^ \n]+", program, re.MULTILINE)
        assert slot is not None
        program = f"{program[: slot.start()]}{line}{program[slot.end() :]}"
    return {"name": f"{checkpoint}-score", "script": program}
