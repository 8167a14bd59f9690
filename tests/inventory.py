"""An inventory of the page and API as plain JSON types, of the project or of a copy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gradio as gr
from gradio_client import Client

from demo.api.arguments import translate_arguments
from demo.api.endpoints import ENDPOINTS
from demo.i18n import in_language, translations
from demo.links.hiding import parts
from demo.links.parameters import SETTINGS
from demo.page.interface import build_demo, launch_settings
from demo.page.theme import style_sheet
from demo.trace.cards.line_by_line import listing_note
from demo.trace.payload import trace_payload
from demo.trace.trace_card import cards
from demo.widgets.captions.options import details, short_name
from demo.widgets.strategy_picker.component import forms
from demo.widgets.view.modules import modules_script
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest, decoding_options
from demo.work.training_service import TrainingService
from models.decoding.strategies import names
from models.registry.registry import Registry
from models.training.launch.child_process import ProcessLauncher
from models.training.launch.launcher import TrainingLimits
from models.training.runs.collection import Runs
from tests.demo.i18n.keys import keys
from tests.environment_settings import settings_table
from tests.fakes.calls import served
from tests.fakes.exported_page import exported_page

CHECKPOINT, TEXT, LONGEST = "reverse-gru", "ab", 3  # short enough for exhaustive search


def inventory(folder: Path) -> dict[str, Any]:
    """Return names, labels and answers, grouped by the part that shows them. Runs lie in the folder."""
    runs = Runs(folder)
    limits = TrainingLimits(root=runs.root)
    training = TrainingService(runs, ProcessLauncher(runs, limits), limits)
    context = AppContext(Registry(Path("checkpoints")), "cpu", training=training)
    page = build_demo(context)
    traces = {name: context.decode(_request(name)) for name in names()}
    payload = json.loads(trace_payload(traces["greedy"]))
    with in_language("es"):
        in_spanish = json.loads(trace_payload(traces["greedy"]))["captions"]
    page.css = style_sheet()
    return {
        "form": [label for block in page.blocks.values() for label in _labels(block)],
        "picker": forms(),
        "rows": {
            name: f"{short_name(options)}: {details(options)}" for name, options in _default_options().items()
        },
        "api": {argument.name: [argument.meaning, str(argument.kind)] for argument in translate_arguments()},
        "answers": _answers(page),
        "links": list(SETTINGS),
        "style": page.css,
        "outputs": {name: trace.hypotheses[0].text for name, trace in traces.items() if trace.hypotheses},
        "listings": {name: listing_note(trace) for name, trace in traces.items()},
        "cards": [card.name for card in cards()],
        "hidden by": {card.name: list(card.hiding_parts) for card in cards()},
        "parts": list(parts()),
        "captions": payload["captions"],
        "in Spanish": in_spanish,
        "not translated": sorted(keys(dict(page.get_config_file())) - translations("es").keys()),
        "figures": [name for name, figure in payload["figures"].items() if figure],
        "exported": exported_page(traces["greedy"]),
        "scripts": modules_script(),
        "settings": settings_table(),
        "checkpoints": list(context.registry.names()),
    }


def _answers(page: gr.Blocks) -> dict[str, Any]:
    """Call each endpoint that needs only a checkpoint and a text, and return the answers."""
    values = {"checkpoint": CHECKPOINT, "text": TEXT}
    with served(page, **launch_settings(uploads=False)) as url:
        client = Client(url, verbose=False)
        return {
            endpoint.name: client.predict(
                **{name: values[name] for name in required}, api_name=f"/{endpoint.name}"
            )
            for endpoint in ENDPOINTS
            if (required := {item.name for item in endpoint.arguments if item.is_required}) <= values.keys()
        }


def _request(strategy: str) -> DecodeRequest:
    return DecodeRequest(CHECKPOINT, TEXT, decoding_options({"strategy": strategy, "max_length": LONGEST}))


def _default_options() -> dict[str, Any]:
    return {name: decoding_options({"strategy": name}) for name in names()}


def _labels(block: object) -> list[str]:
    """Return the label of a widget and those of its choices."""
    label, choices = getattr(block, "label", None), getattr(block, "choices", None) or []
    named = [str(choice[0]) for choice in choices] if isinstance(block, gr.Radio | gr.Dropdown) else []
    return [str(label), *named] if label else named
