"""The settings of a decoding as this server allows them: the library's, within the operator's caps."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from demo.work.operator.caps import MAX_BEAM_SIZE, MAX_OUTPUT_TOKENS, MAX_SAMPLES
from models.decoding.description import DecodingSetting
from models.decoding.options import settings

CAPS = {
    "beam_size": MAX_BEAM_SIZE,
    "num_groups": MAX_BEAM_SIZE,
    "num_samples": MAX_SAMPLES,
    "max_length": MAX_OUTPUT_TOKENS,
    "min_length": MAX_OUTPUT_TOKENS - 1,
}


@cache
def allowed_settings() -> Mapping[str, DecodingSetting]:
    """Every setting by name, for form, picker, API and links alike."""
    return {
        name: setting.with_maximum(CAPS[name]) if name in CAPS else setting
        for name, setting in settings().items()
    }
