"""Every English sentence that the page can show and that is marked for translation."""

from __future__ import annotations

import ast
import html
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from demo.i18n import ENGLISH, LANGUAGES
from demo.i18n.page_translations import (
    ATTRIBUTE,
    CONTENT,
    NODE,
    TEMPLATES,
    labels,
    lazy_keys,
    page_words,
    shell_keys,
)
from demo.page.interface import build_demo
from demo.page.theme import style_sheet
from demo.server.page import Page
from demo.server.zero_gpu import build_launcher
from demo.trace.cards.line_by_line import sentences
from demo.widgets.glossary.terms import TERMS
from demo.work.context import AppContext
from demo.work.hub import Hub
from demo.work.training_service import TrainingService
from models.decoding import strategies
from models.decoding.options import settings
from models.errors import Message
from models.evaluation.counterfactuals import COUNTERFACTUALS
from models.hub.listing.curated import CURATED_MODELS
from models.hub.settings import HubSettings
from models.inspection.methods import METHODS
from models.networks.cells import CELLS
from models.registry.card import CheckpointCard
from models.registry.registry import Registry
from models.training.launch.launcher import TrainingLimits
from models.training.runs.collection import Runs
from tests.messages import MARKS, calls, messages
from tests.source_modules import sources, within

DEMO = Path(__file__).parents[3] / "demo"
CHECKPOINTS = DEMO.parent / "checkpoints"
# What only a terminal shows: English is enough there.
OF_THE_TERMINAL = (
    *("models.corpus.public", "models.environment", "models.training.__main__"),
    *("models.evaluation.by_length", "models.evaluation.command"),
    "demo.work.operator",
)
# Names, signs and formulas, which are the same in every language.
SAME = {
    *(LANGUAGES[code].label for code in LANGUAGES if code != ENGLISH),
    *("Unrolled", "GNMT ((5+L)/6)", "L", "BLEU", "chrF", "GNMT", "bfloat16"),
    *("Adam", "AdamW", "SGD", "ReLU", "GELU", "Swish", "GRU", "LSTM", "BPE", "WordPiece", "Unigram"),
    *("Beta 2", "hf_…", "main", "score = log-probability", "score = log-probability / length^α"),
    "score = log-probability / ((5 + length) / 6)^α",
}


def marked_in_python() -> Iterator[str]:
    """The literal first arguments of `say`, `later` and `in_page`."""
    for module in sources("demo"):
        for call in calls(module, {*MARKS}):
            if isinstance(call.args[0], ast.Constant):
                yield str(call.args[0].value)


def keys_of_decoding() -> Iterator[str]:
    """The texts of strategies and settings in the library's tables."""
    for name in strategies.names():
        strategy = strategies.description_of(name)
        yield from (
            strategy.label,
            strategy.title,
            strategy.sentence,
            strategy.short,
            strategy.proof,
            strategy.ranking,
        )
        yield from (detail for detail in strategy.details if detail not in settings())
        for caption in strategy.captions.values():
            yield from (caption.label, caption.help)
    for setting in settings().values():
        yield from (setting.label, setting.help, setting.brief, setting.phrase, setting.single)
        yield from (choice.label for choice in setting.choices)


def keys_of_inspection() -> Iterator[str]:
    """The names of the methods of attribution and of the gates of cells."""
    for method in METHODS.values():
        yield method.title
    for cell in CELLS.values():
        yield from cell.gate_names


def messages_of_the_library() -> Iterator[str]:
    """The templates of the library's messages, and of labels with values."""
    for module in sources("models", "demo"):
        if not any(within(module.name, package) for package in OF_THE_TERMINAL):
            yield from (message.template for message in messages(module))


def shown_by_gradio(config: dict[str, Any]) -> Iterator[str]:
    """Labels, hints, choices, templates and style sheets of a page."""
    yield from labels(config)
    yield from CONTENT.findall(config["css"] or "")
    for component in config["components"]:
        props = component["props"]
        for label, value in props.get("choices") or ():
            is_name = label == value or f" · {str(value).partition('@')[0]}" in label
            if not is_name and not isinstance(label, Message):
                yield label
        for name in TEMPLATES:
            template = props.get(name) or ""
            yield from _texts(template) if name == "html_template" else CONTENT.findall(template)
        if component["type"] == "html" and isinstance(props.get("value"), str):
            yield from _texts(props["value"])
        if component["type"] == "markdown" and props.get("elem_id") != "model-card-text":
            yield props.get("value") or ""


def _texts(template: str) -> Iterator[str]:
    """The texts of a template, and its texts for screen readers."""
    for text in NODE.findall(template):
        yield html.unescape(" ".join(text.split()))
    for _, text in ATTRIBUTE.findall(template):
        yield html.unescape(text)


def keys_of_cards() -> Iterator[str]:
    """The texts in the headers of the shipped checkpoints' cards."""
    for card in Registry(CHECKPOINTS).cards().values():
        assert isinstance(card, CheckpointCard)
        yield from (card.summary, card.lesson, card.architecture, card.data)
        yield from (text for metric in card.metrics for text in (metric.name, metric.dataset))


def keys_of_the_glossary() -> Iterator[str]:
    """The terms and their meanings."""
    for term in TERMS:
        yield from (term.words, term.meaning)


def keys_of_listings() -> Iterator[str]:
    """The sentences of the lines of listings."""
    yield from (sentence for pairs in sentences().values() for _, sentence in pairs)


def keys_of_changes() -> Iterator[str]:
    """The names of the kinds of changed sources."""
    for counterfactual in COUNTERFACTUALS.values():
        yield from (counterfactual.title, counterfactual.sentence)


def keys_of_recordings() -> Iterator[str]:
    """The titles of the shipped runs."""
    runs = Runs(DEMO.parent / "runs", recorded=DEMO.parent / "recordings")
    yield from (runs.request(run).title for run in runs.recorded_runs())


def whole_page(folder: Path) -> Page:
    """The page with all tabs and the shipped checkpoints; runs and models of the Hub go to `folder`."""
    limits = TrainingLimits(root=folder / "runs")
    runs = Runs(limits.root, limits.total_bytes)
    training = TrainingService(runs, build_launcher(runs, limits), limits)
    hub = Hub(HubSettings(root=folder / "hub"))
    page = build_demo(
        AppContext(Registry(CHECKPOINTS, training.checkpoint_folder), training=training, hub=hub)
    )
    page.css = style_sheet()
    return page


@cache
def page_keys() -> frozenset[str]:
    """All sentences of the page with the shipped checkpoints; see `keys`."""
    with tempfile.TemporaryDirectory() as folder:
        return frozenset(keys(dict(whole_page(Path(folder)).get_config_file())))


def keys(config: dict[str, Any]) -> set[str]:
    """All sentences, without names and signs, a checkpoint's examples, and the parameters of the API."""
    components = [item for item in config["components"] if not _is_data(item["props"])]
    notes = {model.note for model in CURATED_MODELS}
    gradio_texts = shown_by_gradio({**config, "components": components})
    of_tables = {*keys_of_decoding(), *messages_of_the_library()}
    result = {
        *marked_in_python(),
        *of_tables,
        *page_words(),
        *lazy_keys(),
        *shell_keys(),
        *keys_of_cards(),
        *keys_of_inspection(),
        *keys_of_recordings(),
        *keys_of_changes(),
        *keys_of_listings(),
        *keys_of_the_glossary(),
        *gradio_texts,
        *notes,
    }
    return {text for text in result if any(map(str.isalpha, text)) and text not in SAME}


def _is_data(props: dict[str, Any]) -> bool:
    label = props.get("label") or ""
    of_api = label.islower() and " " not in label
    return of_api or "example" in (props.get("elem_classes") or ())
