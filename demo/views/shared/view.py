"""What all views are: a component of Gradio whose HTML, CSS and JavaScript lie in a folder of their own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import gradio as gr

from demo.figures.palette import DARK, LIGHT, css_variables
from demo.i18n import in_page
from demo.views.shared.assets import asset
from demo.views.shared.modules import modules_address

FAILED = in_page("This part of the page could not be loaded. Reload the page, then try again.")
# Gradio knows an event by its name in the script, hence the list.
MOUNT = """const events = EVENTS;
const words = Object.values(globalThis.gradio_config?.i18n_translations ?? {})[0] ?? {};
import(new URL(props.modules, document.baseURI).href)
  .then(({ modules }) => modules[FILE].mount(element, props, watch, trigger, server, modules))
  .catch((error) => {
    console.error(error);
    const problem = document.createElement("p");
    element.prepend(Object.assign(problem, { role: "alert", textContent: words[FAILED] ?? FAILED }));
  });
"""


if TYPE_CHECKING:
    from gradio.components import Component

    class _HTML(Component):
        """`gr.HTML`, but for its annotations: they say that it shows a text, and a view shows JSON."""

        def postprocess(self, value: Any) -> Any:
            """What the browser gets."""

        def preprocess(self, payload: Any) -> Any:
            """What a handler gets."""

        def __getattr__(self, event: str) -> Any:
            """A listener for one of the events that the script triggers."""

else:
    _HTML = gr.HTML


class View(_HTML):
    """Its `view.js` exports `mount`, which is called once with the element and Gradio's hands on it."""

    def __init__(
        self,
        folder: str,
        value: Any = None,
        *,
        template: str | None = None,
        style: str | None = None,
        events: Sequence[str] = (),
        **options: Any,
    ) -> None:
        """The files are those of `folder` but for `template` and `style`, where they are given.

        `events` are names that its script triggers; `options` are those of `gr.HTML` and what `props` holds.
        """
        fixed = {
            "html_template": asset(f"{folder}/view.html") if template is None else template,
            "css_template": asset(f"{folder}/view.css") if style is None else style,
            "js_on_load": mount_script(f"{folder}/view.js", events),
            "apply_default_css": False,
            "modules": modules_address(),
        }
        super().__init__(value=value, **(options | fixed))


def mount_script(file: str, events: Sequence[str] = ()) -> str:
    """What Gradio runs once an element is there: it hands it over to a module of the page."""
    values = {"EVENTS": list(events), "FILE": file, "FAILED": FAILED}
    script = MOUNT
    for name, text in values.items():
        script = script.replace(name, json.dumps(text))
    return script


def coloured(selector: str, *styles: str) -> str:
    """Style sheets after the palette's colours for the elements of `selector`, light and dark.

    For Gradio, which puts them into a rule of the component.
    """
    return _coloured(selector, f".dark & {selector}", styles)


def coloured_sheet(selector: str, *styles: str) -> str:
    """The same as a file that the page fetches late, whose rules stand by themselves."""
    return _coloured(selector, f".dark {selector}", styles)


def _coloured(selector: str, dark: str, styles: Sequence[str]) -> str:
    variables = (css_variables(palette) for palette in (LIGHT, DARK))
    rules = (f"{chosen} {{{each}}}" for chosen, each in zip((selector, dark), variables, strict=True))
    return "\n".join((*rules, *map(asset, styles)))
