"""The base of all views: a Gradio component whose HTML, CSS and JavaScript lie in a folder of their own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import gradio as gr

from demo.i18n import in_page
from demo.widgets.figures.figure import DARK, LIGHT, css_variables
from demo.widgets.view.assets import asset
from demo.widgets.view.modules import modules_address

FAILED = in_page("This part of the page could not be loaded. Reload the page, then try again.")
# Gradio finds the names of events in the text of the script, hence the list.
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
        """`gr.HTML` with other annotations: a view shows JSON, not a text."""

        def postprocess(self, value: Any) -> Any:
            """Convert the value for the browser."""

        def preprocess(self, payload: Any) -> Any:
            """Convert the browser's value for a handler."""

        def __getattr__(self, event: str) -> Any:
            """A listener for an event of the script."""

else:
    _HTML = gr.HTML


class View(_HTML):
    """A component whose `view.js` exports `mount`, called once with the element and Gradio's functions."""

    root_selector: ClassVar[str] = ""  # the element that has the script's functions
    reads_browser: ClassVar[bool] = True  # whether handlers get the browser's value, which they must check

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
        """The files are those of `folder`, except for `template` and `style` if they are given.

        `events` are those that the script triggers; `options` are those of `gr.HTML` and `props`.
        """
        fixed = {
            "html_template": asset(f"{folder}/view.html") if template is None else template,
            "css_template": asset(f"{folder}/view.css") if style is None else style,
            "js_on_load": mount_script(f"{folder}/view.js", events),
            "apply_default_css": False,
            "modules": modules_address(),
        }
        self.module_path = f"{folder}/view.js"  # a module below the views
        super().__init__(value=value, **(options | fixed))

    @property
    def functions(self) -> str:
        """JavaScript for the functions that `mount` puts on the root element; undefined before it runs."""
        return f"document.querySelector('#{self.elem_id} {self.root_selector}')?.unrolled"

    def preprocess(self, payload: Any) -> Any:
        """Return the browser's value unchanged, or None if handlers do not use it."""
        return payload if self.reads_browser else None


def mount_script(file: str, events: Sequence[str] = ()) -> str:
    """The script that Gradio runs when the element is there: it mounts the view by a module of the page."""
    values = {"EVENTS": list(events), "FILE": file, "FAILED": FAILED}
    script = MOUNT
    for name, text in values.items():
        script = script.replace(name, json.dumps(text))
    return script


def with_colours(selector: str, *styles: str, nested: bool = True) -> str:
    """Style sheets after the palette's colours for the elements of `selector`, in light and dark.

    Gradio nests them into a rule of the component; `nested` is false for a file that is fetched on demand.
    """
    palettes = ((selector, LIGHT), (f".dark & {selector}" if nested else f".dark {selector}", DARK))
    rules = (f"{elements} {{{css_variables(palette)}}}" for elements, palette in palettes)
    return "\n".join((*rules, *map(asset, styles)))
