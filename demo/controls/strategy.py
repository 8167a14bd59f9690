"""The strategy controls: one widget for each of `StrategySettings`; only those that apply are shown."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.controls.strategy_texts import STRATEGIES, descriptions
from demo.controls.widgets import Choices, segments, slider
from demo.limits import (
    MAX_BANNED_CHARACTERS,
    MAX_BEAM_SIZE,
    MAX_NGRAM,
    MAX_NODE_BUDGET,
    MAX_OUTPUT_TOKENS,
    MAX_SAMPLES,
    MAX_SEED,
    MIN_NODE_BUDGET,
    MIN_TEMPERATURE,
)
from demo.strategy import StrategySettings

NORMALIZERS: Choices = [("Power", "power"), ("GNMT", "gnmt"), ("None", "none")]
EARLY_STOPPING: Choices = [
    ("At once", "true"),
    ("If unlikely to improve", "false"),
    ("If it cannot improve", "never"),
]
UTILITIES: Choices = [("chrF", "chrf"), ("BLEU", "bleu")]
DEFAULT = StrategySettings()

# Applied in the browser: they only change what widgets are called.
# `t` of translate.js, where the page is ours.
WORDS = 'const t = globalThis.unrolled?.t ?? ((text, values = {}) => text.replace("{count}", values.count));'
NAME_BEAM = f"""(strategy) => {{
  {WORDS}
  return strategy === "exhaustive"
    ? {{__type__: "update", label: t("Outputs kept"), info: t("The best of all are listed.")}}
    : {{__type__: "update", label: t("Beam size"), info: t("Hypotheses kept per step.")}};
}}"""
MOST_GROUPS = """(beams, groups) =>
  ({__type__: "update", maximum: Math.max(beams, 2), value: Math.min(groups, Math.max(beams, 2))})"""
COUNT_CONSTRAINTS = """(least, ngram, penalty, banned) => {
  WORDS
  const count = [least > 0, ngram > 0, penalty !== 1, banned?.trim()].filter(Boolean).length;
  const label = count ? t("Constraints: {count} active", { count }) : t("Constraints: none");
  return {__type__: "update", label};
}""".replace("WORDS", WORDS)


@dataclass(frozen=True)
class StrategyControls:
    """One widget for each field of `StrategySettings`, by the same names and in the same order."""

    strategy: gr.Radio
    beam_size: gr.Slider
    num_groups: gr.Slider
    diversity: gr.Slider
    threshold: gr.Slider
    length_penalty: gr.Slider
    normalizer: gr.Radio
    early_stopping: gr.Radio
    num_samples: gr.Slider
    temperature: gr.Slider
    top_k: gr.Slider
    top_p: gr.Slider
    min_p: gr.Slider
    utility: gr.Radio
    node_budget: gr.Slider
    seed: gr.Number
    max_length: gr.Slider
    min_length: gr.Slider
    no_repeat_ngram_size: gr.Slider
    repetition_penalty: gr.Slider
    banned: gr.Textbox

    def in_order(self) -> list[Component]:
        """As the request takes them."""
        return [getattr(self, field.name) for field in fields(self)]


@dataclass(frozen=True)
class StrategyCard:
    """The card with the controls and what belongs to them alone."""

    controls: StrategyControls
    resample: gr.Button


def build_strategy_card(max_length: int) -> StrategyCard:
    """The style sheet shows only what applies to the chosen strategy (classes `only only-*`)."""
    with gr.Column(elem_classes="card strategy", elem_id="strategy-card", scale=2, min_width=320):
        strategy = segments(
            "Strategy",
            "How the output is found.",
            STRATEGIES,
            DEFAULT.strategy,
            classes=["strategies"],
            elem_id="strategy",
        )
        gr.HTML(descriptions(), elem_id="strategy-description", apply_default_css=False)
        with gr.Column(elem_classes="settings"):
            own = {**_size_settings(max_length), **_beam_settings(), **_drawing_settings()}
        with gr.Row(elem_classes=["seed-row", *_only("sampling stochastic mbr")]):
            seed = gr.Number(
                value=DEFAULT.seed,
                minimum=0,
                maximum=MAX_SEED,
                precision=0,
                label="Seed",
                info="The same seed, the same draws.",
                min_width=120,
            )
            resample = gr.Button("Resample", elem_id="resample", min_width=0)
        constraints = _build_constraints()
    controls = StrategyControls(strategy=strategy, seed=seed, **own, **constraints)
    strategy.change(None, strategy, controls.beam_size, js=NAME_BEAM)
    beams = [controls.beam_size, controls.num_groups]
    controls.beam_size.change(None, beams, controls.num_groups, js=MOST_GROUPS)
    return StrategyCard(controls, resample)


def _only(strategies: str) -> list[str]:
    """Classes of what applies to these strategies alone."""
    return ["only", *(f"only-{name}" for name in strategies.split())]


def _size_settings(max_length: int) -> dict[str, Any]:
    """How much of everything: these come first."""
    return {
        "beam_size": slider(
            "Beam size",
            "Hypotheses kept per step.",
            (1, MAX_BEAM_SIZE, 1),
            DEFAULT.beam_size,
            _only("beam diverse threshold stochastic exhaustive"),
        ),
        "num_samples": slider(
            "Samples",
            "Independent draws.",
            (1, MAX_SAMPLES, 1),
            DEFAULT.num_samples,
            _only("sampling mbr"),
        ),
        "node_budget": slider(
            "Budget",
            "Prefixes it may look at.",
            (MIN_NODE_BUDGET, MAX_NODE_BUDGET, 100),
            DEFAULT.node_budget,
            _only("exact"),
        ),
        "max_length": slider(
            "Maximum length", "Tokens, the end included.", (1, MAX_OUTPUT_TOKENS, 1), max_length
        ),
    }


def _beam_settings() -> dict[str, Any]:
    beams, scored = "beam diverse threshold", "beam diverse threshold exhaustive"
    return {
        "num_groups": slider(
            "Groups",
            "Equal parts of the beam.",
            (1, DEFAULT.beam_size, 1),
            DEFAULT.num_groups,
            _only("diverse"),
        ),
        "diversity": slider(
            "Diversity λ", "Nats off a repeated token.", (0, 5, 0.1), DEFAULT.diversity, _only("diverse")
        ),
        "threshold": slider(
            "Threshold",
            "Least probability, as a share of the best candidate's.",
            (0, 1, 0.01),
            DEFAULT.threshold,
            [*_only("threshold"), "wide"],
        ),
        "length_penalty": slider(
            "Length penalty α",
            "Above 0 favours length.",
            (-2, 2, 0.1),
            DEFAULT.length_penalty,
            [*_only(scored), "needs-norm"],
        ),
        "normalizer": segments(
            "Length normaliser",
            "What α acts through.",
            NORMALIZERS,
            DEFAULT.normalizer,
            _only(scored),
            elem_id="normalizer",
        ),
        "early_stopping": segments(
            "Stop when the beam is full",
            "What it takes to end the search once enough outputs are finished.",
            EARLY_STOPPING,
            DEFAULT.early_stopping,
            [*_only(beams), "wide"],
        ),
    }


def _drawing_settings() -> dict[str, Any]:
    draws = _only("sampling mbr")
    return {
        "temperature": slider(
            "Temperature",
            "Higher is more random.",
            (MIN_TEMPERATURE, 2, 0.05),
            DEFAULT.temperature,
            _only("sampling stochastic mbr"),
        ),
        "top_k": slider("Top-k", "The k likeliest; 0 for all.", (0, 100, 1), DEFAULT.top_k, draws),
        "top_p": slider("Top-p", "The likeliest share p.", (0.05, 1, 0.05), DEFAULT.top_p, draws),
        "min_p": slider("Min-p", "At least p times the best.", (0, 1, 0.01), DEFAULT.min_p, draws),
        "utility": segments(
            "Likeness",
            "The measure by which two samples are alike.",
            UTILITIES,
            DEFAULT.utility,
            [*_only("mbr"), "wide"],
        ),
    }


def _build_constraints() -> dict[str, Any]:
    with (
        gr.Accordion("Constraints: none", open=False, elem_id="constraints") as accordion,
        gr.Column(elem_classes="settings"),
    ):
        constraints: dict[str, Any] = {
            "min_length": slider(
                "Minimum length",
                "Tokens before the end.",
                (0, MAX_OUTPUT_TOKENS - 1, 1),
                DEFAULT.min_length,
            ),
            "no_repeat_ngram_size": slider(
                "No repeated n-grams",
                "No n tokens twice; 0: off.",
                (0, MAX_NGRAM, 1),
                DEFAULT.no_repeat_ngram_size,
            ),
            "repetition_penalty": slider(
                "Repetition penalty",
                "Above 1 discourages it.",
                (1, 3, 0.05),
                DEFAULT.repetition_penalty,
            ),
            "banned": gr.Textbox(
                value=DEFAULT.banned,
                label="Banned words",
                info="Tokens, with spaces between.",
                max_length=MAX_BANNED_CHARACTERS,
                lines=1,
                max_lines=1,
                html_attributes=gr.InputHTMLAttributes(
                    spellcheck=False, autocorrect="off", autocapitalize="off"
                ),
            ),
        }
    widgets = list(constraints.values())
    gr.on([widget.change for widget in widgets], None, widgets, accordion, js=COUNT_CONSTRAINTS)
    return constraints
