"""The state of a lesson: its link, decoded, compared or inspected as the page would do."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, unquote

from demo.i18n.display import display_token
from demo.inspect.inspection import content_of, explain
from demo.inspect.requests import InspectRequest, WhyRequest
from demo.labs import labs
from demo.learn.lab_answers import networks_of
from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.lesson import LessonStep
from demo.links import Link
from demo.links.link import known_checkpoint, reference_text, source_text
from demo.widgets.answers.content import Content, Controls
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest, decoding_options
from models.decoding.trace import DecodingTrace
from models.lru_cache import LruCache

MAX_STATES = 64  # kept, each a few traces


@dataclass(frozen=True)
class MeasuredTraining:
    """One training of a lab that takes longer than a reader waits for a reveal, and facts about its result.

    The facts were measured once; `tests/demo/learn/lessons/test_trainings.py` trains each anew and compares.
    """

    lab: str  # its name in links
    options: Mapping[str, str]  # the controls of the training that are not at their default
    facts: Mapping[str, tuple[str, float]]  # (name in the lab, value) by name in lessons


def _perplexity_and_norm(name: str, perplexity: float, norm: float) -> dict[str, tuple[str, float]]:
    return {
        f"{name}_perplexity": ("perplexity", perplexity),
        f"{name}_largest_norm": ("largest_gradient_norm", norm),
    }


TRAININGS = (
    MeasuredTraining(
        "masked",
        {"unit": "characters"},
        {
            "forward_right": ("forward_accuracy", 0.379),
            "backward_right": ("backward_accuracy", 0.412),
            "both_right": ("both_accuracy", 0.592),
        },
    ),
    MeasuredTraining("charrnn", {"truncation": "full"}, _perplexity_and_norm("full", 8.41, 3.21)),
    MeasuredTraining("charrnn", {"truncation": "truncated"}, _perplexity_and_norm("truncated", 7.96, 0.88)),
    MeasuredTraining(
        "charrnn", {"truncation": "randomised"}, _perplexity_and_norm("randomised", 12.58, 108.35)
    ),
    MeasuredTraining(
        "charrnn", {"truncation": "randomised", "kept": "0.9"}, _perplexity_and_norm("rarely_cut", 7.91, 1.46)
    ),
    MeasuredTraining(
        "charrnn", {"clipping": "off"}, {"unclipped_worse_than_guessing": ("worse_than_guessing", 1)}
    ),
    MeasuredTraining("charrnn", {"rate": "1"}, {"slow_clipped_perplexity": ("perplexity", 8.38)}),
    MeasuredTraining(
        "charrnn", {"rate": "1", "clipping": "off"}, {"slow_unclipped_perplexity": ("perplexity", 8.37)}
    ),
)


class LessonStateError(RequestError):
    """A lesson's link that the page could not follow; the message says what is wrong with it."""


@dataclass(frozen=True)
class _LinkRequest:
    """The decodings that a link requests, and how they are viewed."""

    decodings: tuple[DecodeRequest, ...] = ()
    reference: str = ""
    view: Mapping[str, Any] = field(default_factory=dict)


def state_of(context: AppContext, query: str) -> LessonState:
    """Return the computed state of a link. Raises LessonStateError and what decodings raise."""
    return state_with_content(context, query)[0]


def state_with_content(context: AppContext, query: str) -> tuple[LessonState, Content | None]:
    """Return the state of a link, and what its lab or view of Inspect shows. Raises as `state_of` does."""
    link = Link.parse(parse_qsl(query, keep_blank_values=True))
    request = _request(context, link)
    if link.faults:
        raise LessonStateError(" ".join(link.faults))
    if link.tab == "learn":
        name, content = _lab(context, request.view.get("lab", ""))
        trainings = [item.facts for item in TRAININGS if item.lab == name]
        trained = {key: value for facts in trainings for key, (_, value) in facts.items()}
        return LessonState(facts={**trained, **_facts(content)}), content
    if link.tab == "checkpoints":
        return LessonState(facts=_qualities(context)), None
    traces = tuple(map(context.decode, request.decodings))
    references = tuple(
        context.score(decoding.checkpoint, decoding.text, request.reference)
        for decoding in request.decodings
        if request.reference
    )
    content = _inspect_content(context, traces[0], request) if traces and "inspect" in request.view else None
    result = _facts(content)
    if traces and "why" in request.view.get("open", ""):
        result |= _why(context, traces[0], request)
    return LessonState(traces, result, references), content


def _request(context: AppContext, link: Link) -> _LinkRequest:
    if link.tab == "learn":
        return _LinkRequest(view={"lab": link.values.get("lab", "")})
    if link.tab == "decode":
        view = link.take_view()
        name = known_checkpoint(context, link, "checkpoint") or context.default_checkpoint or ""
        settings = link.take_settings(context.config(name).max_length)
        text = source_text(context, link, "text", name) or ""
        options = decoding_options(settings, context.config(name).max_length)
        forced = tuple(view["forced"][view.get("version", 0) - 1]) if view.get("version") else ()
        return _LinkRequest((DecodeRequest(name, text, options, forced=forced),), view=view)
    if link.tab == "compare":
        return _compare_request(context, link)
    return _LinkRequest()


def _compare_request(context: AppContext, link: Link) -> _LinkRequest:
    view = link.take_view(table=True)
    mode = link.values.get("mode", "strategies")
    name = known_checkpoint(context, link, "checkpoint", eight_bit=True) or context.default_checkpoint or ""
    other = known_checkpoint(context, link, "other_checkpoint", eight_bit=True) or name
    text = source_text(context, link, "text", name) or ""
    other_text = source_text(context, link, "other_text", name) or text
    reference = reference_text(link) or ""
    longest = min(context.config(item).max_length for item in (name, other))
    if mode == "strategies":
        request = [(name, text, item) for item in link.take_strategies(longest) or ()]
    else:
        one = link.take_settings(longest)
        sides = ((name, text), (other, text)) if mode == "checkpoints" else ((name, text), (name, other_text))
        request = [(checkpoint, source, one) for checkpoint, source in sides]
    decodings = tuple(
        DecodeRequest(checkpoint, source, decoding_options(values, longest))
        for checkpoint, source, values in request
    )
    return _LinkRequest(decodings, reference, view)


def chosen_in(text: str) -> tuple[str, dict[str, object]]:
    """Read `ngrams,order:2` as a name and its options, as the page's `readChoices` does."""
    name, *parts = text.split(",")
    pairs = (part.split(":", 1) for part in parts if ":" in part)
    return name, {control: unquote(value) for control, value in pairs}


def _lab(context: AppContext, text: str) -> tuple[str, Content | None]:
    name, options = chosen_in(text)
    lab = next((lab for lab in labs() if lab.name == name), None)
    if lab is None:
        return name, None
    return name, lab.compute(Controls(options=options, networks=networks_of(context)))


def _facts(content: Content | None) -> dict[str, Any]:
    return {**content.facts, **content.curves} if content else {}


def _qualities(context: AppContext) -> Mapping[str, float | str]:
    """Return each measured checkpoint's quality on the shortest sources and on the longest."""
    result: dict[str, float | str] = {}
    for name in context.registry.names():
        if quality := context.registry.quality_by_length(name):
            called = name.replace("-", "_")
            result[f"{called}_shortest"], result[f"{called}_longest"] = (
                quality.bins[index].value for index in (0, -1)
            )
    return result


def _why_request(trace: DecodingTrace, request: _LinkRequest) -> WhyRequest:
    ids = trace.hypotheses[request.view.get("hypothesis", 1) - 1].token_ids
    index = min(request.view.get("step", 1), len(ids)) - 1
    return WhyRequest(trace.checkpoint, trace.source_text, ids[:index], ids[index], request.view.get("rival"))


def _inspect_content(context: AppContext, trace: DecodingTrace, request: _LinkRequest) -> Content:
    view, options = chosen_in(request.view["inspect"])
    output = trace.hypotheses[request.view.get("hypothesis", 1) - 1].token_ids
    result, _ = content_of(context, InspectRequest(view, _why_request(trace, request), output, options))
    return result


def _why(context: AppContext, trace: DecodingTrace, request: _LinkRequest) -> dict[str, float | str]:
    """Return each method's most important source token and its value: `occlusion_token`."""
    result: dict[str, float | str] = {}
    for name, item in explain(context, _why_request(trace, request))["methods"].items():
        most = max(range(len(item["source"])), key=lambda index: abs(item["source"][index]))
        if most < len(trace.source):
            result[f"{name}_token"] = display_token(trace.source[most].surface)
        result[f"{name}_value"] = item["source"][most]
    return result


@dataclass
class _CachedState:
    state: LessonState | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)  # held while the state is computed


class States:
    """The states of lessons' links, computed once and kept; concurrent requests share a computation."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._entries: LruCache[str, _CachedState] = LruCache(MAX_STATES)

    def state_of_step(self, step: LessonStep) -> LessonState:
        """Return the state of a step with those of its contrasts. Raises what `state_of` raises."""
        contrasts = {name: self.state_of(query) for name, query in step.contrasts.items()}
        return replace(self.state_of(step.state), contrasts=contrasts)

    def state_of(self, query: str) -> LessonState:
        """Return the state that a link shows. Raises what `state_of` raises."""
        entry = self._entries.get_or_make(query, _CachedState)
        with entry.lock:
            if entry.state is None:
                entry.state = state_of(self._context, query)
            return entry.state
