"""Decodings in a notebook: `decode(...)` at the end of a cell shows its page, without server or network."""

from __future__ import annotations

import base64
import gzip
import json
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from demo.trace.component import exported_page
from demo.widgets.view.assets import asset, plotly_file
from models.decoding.decode import decode as decode_trace
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from models.hub.pretrained import from_pretrained
from models.registry.checkpoint import CONFIG, Checkpoint

# The page runs its scripts, but reaches neither the notebook nor a network.
FRAME = (
    "<iframe sandbox='allow-scripts allow-downloads' title='{title}' "
    "style='width: 100%; height: {height}; border: 0' srcdoc='{page}'></iframe>"
)


@dataclass(frozen=True, repr=False)
class ShownTrace(DecodingTrace):
    """A trace that a notebook shows as its page."""

    def __repr__(self) -> str:
        return f"{self.source_text!r} -> {[hypothesis.text for hypothesis in self.hypotheses]}"

    def _repr_html_(self) -> str:
        return _frame(exported_page(self, plotly=""), "A decoding", "53rem")


class Plotly:
    """Plotly at the end of a cell: the charts of all decodings in the notebook then use it."""

    def _repr_html_(self) -> str:
        packed = base64.b64encode(gzip.compress(plotly_file().read_bytes())).decode()
        return _frame(asset("trace/export/plotly_carrier.html").replace("PACKED", packed), "Plotly", "4.5rem")


def decode(checkpoint: str | Path | Checkpoint | tuple[Any, Any], text: str, **settings: Any) -> ShownTrace:
    """Decode a text with the settings of `DecodingOptions`.

    `checkpoint` is a name or a folder for `from_pretrained`, what that returned, or a model and its tokenizer
    of the transformers library.
    """
    if isinstance(checkpoint, str | Path):
        checkpoint = from_pretrained(checkpoint)
    if not isinstance(checkpoint, Checkpoint):
        checkpoint = _checkpoint_of(*checkpoint)
    options = DecodingOptions(**settings)
    language = checkpoint.config.target_language
    trace = decode_trace(checkpoint.model, checkpoint.tokenizer, text, options, language=language)
    signed = checkpoint.sign(trace)
    return ShownTrace(**{field.name: getattr(signed, field.name) for field in fields(DecodingTrace)})


def _checkpoint_of(model: Any, tokenizer: Any) -> Checkpoint:
    """The checkpoint that a model and its tokenizer become as files. Raises CheckpointError.

    A source stays as it is: as in the library, no task puts its words in front.
    """
    with TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        path = Path(folder, CONFIG)
        settings = json.loads(path.read_bytes())
        settings.pop("task_specific_params", None)
        path.write_text(json.dumps(settings), encoding="utf-8")
        return replace(from_pretrained(folder), name=model.config.name_or_path or type(model).__name__)


def _frame(page: str, title: str, height: str) -> str:
    quoted = page.replace("&", "&amp;").replace("'", "&#39;")
    return FRAME.format(title=title, height=height, page=quoted)
