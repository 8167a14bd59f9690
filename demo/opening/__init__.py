"""The page as a link wants it: read once when the page loads, checked, filled into a tab, and run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.components.link_notice import LinkNotice
from demo.context import AppContext
from demo.errors import guarded
from demo.links import Link

Items = Sequence[tuple[str, str]]
OPEN = "(answer) => { unrolled.open(answer); }"


@dataclass(frozen=True)
class Answer:
    """What a tab does with a link."""

    values: Sequence[Any]  # of the target's outputs
    run: bool = False  # press the button that decodes or compares
    view: dict[str, Any] = field(default_factory=dict)  # how to look at the result
    mode: str = ""  # of a comparison


@dataclass(frozen=True)
class Target:
    """A tab that a link may open; `answer` has None for a page that opens without a link to this tab."""

    tab: str
    outputs: Sequence[Component]
    answer: Callable[[Link | None], Answer]


def on_visit(context: AppContext, targets: Sequence[Target], items: Items) -> tuple[Any, ...]:
    """The outputs of all targets, the tab to choose, and what the page's script is told."""
    link = Link.of(items, [target.tab for target in targets])
    named = bool(link.values) or link.tab != "decode"
    answers = [target.answer(link if named and target.tab == link.tab else None) for target in targets]
    chosen = next(answer for target, answer in zip(targets, answers, strict=True) if target.tab == link.tab)
    told = {
        "tab": link.tab,
        "run": chosen.run,
        "view": chosen.view or None,
        "mode": chosen.mode,
        "faults": link.told(),
        "names": list(context.registry.names()),
    }
    tabs = gr.Tabs(selected=link.tab) if link.tab != "decode" else gr.skip()
    return *[value for answer in answers for value in answer.values], tabs, told


def wire_links(
    context: AppContext, page: gr.Blocks, tabs: gr.Tabs, targets: Sequence[Target], notice: LinkNotice
) -> None:
    """Open the page's link when it loads, and keep the chosen tab in the address."""
    visit = guarded(on_visit, context, targets)

    # A function of its own: Gradio finds the request by its annotation.
    def arrive(request: gr.Request) -> Any:
        return visit(request.query_params.multi_items())

    outputs = [output for target in targets for output in target.outputs]
    page.load(
        arrive,
        None,
        [*outputs, tabs, notice],
        preprocess=False,
        queue=False,
        show_progress="hidden",
        api_visibility="private",
    ).success(None, notice, None, js=OPEN, api_visibility="private")
    for tab in tabs.children:
        if isinstance(tab, gr.Tab):
            entered = f"() => {{ unrolled.enter('{tab.id}'); }}"
            tab.select(None, None, None, js=entered, api_visibility="private")
