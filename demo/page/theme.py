"""The look of the page: Gradio's theme variables, our style sheet, and the colours of all views."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gradio.themes import Base, Color, LocalFont, sizes

from demo.decode.controls.strategy import applicable_rules
from demo.links.hiding import hiding_rules
from demo.training.form.settings_card import training_rules
from demo.widgets.figures.figure import DARK, LIGHT, Palette
from demo.widgets.view.assets import asset
from demo.widgets.view.modules import modules_address

BLUE = Color(
    "#f1f8fd", "#dcedf8", "#b9dbf1", "#8cc4e8", "#56b4e9", "#1f8fd0",
    "#0072b2", "#005f96", "#004b77", "#003a5d", "#002a44", name="unrolled-blue",
)  # fmt: skip
SLATE = Color(
    "#f8f9fb", "#f0f2f5", "#e2e6eb", "#cbd2da", "#98a2ae", "#66717e",
    "#4b5563", "#353d48", "#24272e", "#18181c", "#101013", name="unrolled-slate",
)  # fmt: skip
SHEETS = ("page/scripts/page.css", "page/scripts/workspace.css", "widgets/glossary/glossary.css")
# Gradio's medium sizes in rem, so that they follow the font size that a reader sets in the browser.
TEXT_SIZES = sizes.Size(
    "0.5625rem", "0.625rem", "0.75rem", "0.875rem", "1rem", "1.375rem", "1.625rem", "unrolled-text"
)  # fmt: skip

# Variables of the theme that have another value in the dark.
LIGHT_AND_DARK = {
    "body_background_fill": (SLATE.c100, SLATE.c950),
    "body_text_color": (LIGHT.text, DARK.text),
    "body_text_color_subdued": ("#56616d", "#a3acb7"),
    "background_fill_primary": (LIGHT.surface, DARK.surface),
    "background_fill_secondary": (SLATE.c50, "#1f2026"),
    "block_background_fill": (LIGHT.surface, DARK.surface),
    "border_color_primary": (LIGHT.grid, DARK.grid),
    "input_background_fill": (LIGHT.surface, "#1f2026"),
    "input_border_color": ("#8b95a1", "#5f6976"),
    "input_placeholder_color": ("#66717e", "#98a2ae"),
    "slider_color": (LIGHT.output, DARK.output),
    "link_text_color": (BLUE.c700, BLUE.c400),
}
# Variables whose value is the same in the dark, where Gradio has another one.
ALWAYS = {
    "block_label_background_fill": "transparent",
    "block_title_text_color": "*body_text_color",
    "block_info_text_color": "*body_text_color_subdued",
    "button_primary_background_fill": BLUE.c600,
    "button_primary_background_fill_hover": BLUE.c700,
    "button_primary_text_color": "white",
    "button_secondary_background_fill": "*block_background_fill",
    "button_secondary_background_fill_hover": "*background_fill_secondary",
    "button_secondary_border_color": "*border_color_primary",
    "button_secondary_border_color_hover": "*slider_color",
    "button_secondary_text_color": "*body_text_color",
}


def build_theme() -> Base:
    """The theme: white cards on grey, one accent, contrasts of at least 4.5 to 1 in light and dark."""
    theme = Base(
        primary_hue=BLUE,
        secondary_hue=BLUE,
        neutral_hue=SLATE,
        radius_size=sizes.radius_md,
        text_size=TEXT_SIZES,
        font=(LocalFont("IBM Plex Sans", weights=(400, 700)), "system-ui", "sans-serif"),
        font_mono=(LocalFont("IBM Plex Mono", weights=(400, 700)), "ui-monospace", "monospace"),
    )
    colours = LIGHT_AND_DARK | {name: (value, value) for name, value in ALWAYS.items()}
    return theme.set(
        block_border_width="0px",
        block_shadow="none",
        block_padding="0px",
        block_title_text_weight="600",
        input_border_width="1px",
        **{name: light for name, (light, _) in colours.items()},
        **{f"{name}_dark": dark for name, (_, dark) in colours.items()},
    )


def style_sheet() -> str:
    """Our style sheet: the colours as variables named by their meaning, then the rules."""
    light = _meanings(LIGHT, **{"warning": "#9a4a00", "segment-trough": SLATE.c100})
    dark = _meanings(DARK, **{"warning": "#f0a33a", "segment-trough": "#0f0f12"})
    sheets = "\n".join(map(asset, SHEETS))
    rules = f"{applicable_rules()}\n{training_rules()}"
    return f":root{{{light}}}\n.dark{{{dark}}}\n{sheets}\n{rules}"


def head(links_config: Mapping[str, Any]) -> str:
    """The page's own `<head>`: the rules that hide parts, and the script that fetches the modules."""
    values = {"/*CONFIG*/ null": json.dumps(dict(links_config)), "/*MODULES*/": modules_address()}
    script = asset("page/scripts/boot.js")
    for name, value in values.items():
        script = script.replace(name, value.replace("<", "\\u003c"))
    return f"<style>{asset('page/scripts/head.css')}{hiding_rules()}</style><script>{script}</script>"


def _meanings(palette: Palette, **others: str) -> str:
    colours = {"source": palette.source, "output": palette.output, **others}
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
