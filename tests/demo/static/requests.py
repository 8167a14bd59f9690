"""Requests to the worker of the page without a server, and the library's answers."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

from demo.work.operator.caps import allowed_settings
from demo.work.requests.checks import check_fits
from demo.work.requests.decode import decoding_options
from demo.work.requests.edit import WhatIf
from models.decoding.decode import decode, decode_with_and_without_words
from models.decoding.interventions import Intervention
from tests.demo.static.decodings import checkpoint

# A request for each kind of network, with settings that lead to other captions and figures.
REQUESTS: tuple[dict[str, Any], ...] = (
    {"checkpoint": "reverse-gru", "strategy": "beam"},
    {"checkpoint": "reverse-gru", "strategy": "threshold", "forced": [5]},
    {"checkpoint": "dates-transformer", "strategy": "greedy"},
    {"checkpoint": "dates-transformer", "strategy": "mbr", "num_samples": 4, "seed": 2},
    {"checkpoint": "dates-transformer", "strategy": "exact", "node_budget": 200},
    {"checkpoint": "shapes-captioner", "strategy": "beam", "beam_size": 3},
)


def with_text(request: dict[str, Any]) -> dict[str, Any]:
    """The request with the checkpoint's first example as its text, unless it has one."""
    return {"text": checkpoint(request["checkpoint"]).config.examples[0], **request}


def by_library(request: dict[str, Any]) -> Any:
    """The trace of the library for a request. Raises UnrolledError for one that cannot be served."""
    loaded = checkpoint(request["checkpoint"])
    options = {name: value for name, value in request.items() if name in allowed_settings()}
    edit = WhatIf.parse({"strategy": request["strategy"], "settings": {}, **request})
    edited = edit.request(loaded.tokenizer)
    check_fits(loaded.name, edited.text, loaded.config.reads_pictures)
    search = partial(
        decode,
        loaded.model,
        loaded.tokenizer,
        edited.text,
        language=loaded.config.target_language,
        intervention=Intervention(edited.forced, edited.overrides),
    )
    trace = decode_with_and_without_words(search, decoding_options(options, loaded.config.max_length))
    return json.loads(replace(trace, checkpoint=loaded.name, task=loaded.config.task).to_json())
