"""The look of the page: Gradio's theme variables, our style sheet, and the colours of all views."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gradio.themes import Base, Color, LocalFont, sizes

from demo.links.hiding import hiding_rules
from demo.training.form.settings_card import training_rules
from demo.widgets.figures.drawing.palette import DARK, LIGHT, Palette
from demo.widgets.form.applicable_parts import applicable_rules
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

# The colours of a secondary button, in light and dark.
QUIET = {
    "background_fill": "*block_background_fill",
    "background_fill_hover": "*background_fill_secondary",
    "border_color": "*border_color_primary",
    "border_color_hover": "*slider_color",
    "text_color": "*body_text_color",
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
    return theme.set(
        body_background_fill=SLATE.c100,
        body_background_fill_dark=SLATE.c950,
        body_text_color=LIGHT.text,
        body_text_color_dark=DARK.text,
        body_text_color_subdued="#56616d",
        body_text_color_subdued_dark="#a3acb7",
        background_fill_primary=LIGHT.surface,
        background_fill_primary_dark=DARK.surface,
        background_fill_secondary=SLATE.c50,
        background_fill_secondary_dark="#1f2026",
        block_background_fill=LIGHT.surface,
        block_background_fill_dark=DARK.surface,
        block_border_width="0px",
        block_shadow="none",
        block_padding="0px",
        block_label_background_fill="transparent",
        block_label_background_fill_dark="transparent",
        block_title_text_weight="600",
        block_title_text_color="*body_text_color",
        block_title_text_color_dark="*body_text_color",
        block_info_text_color="*body_text_color_subdued",
        block_info_text_color_dark="*body_text_color_subdued",
        border_color_primary=LIGHT.grid,
        border_color_primary_dark=DARK.grid,
        input_background_fill=LIGHT.surface,
        input_background_fill_dark="#1f2026",
        input_border_width="1px",
        input_border_color="#8b95a1",
        input_border_color_dark="#5f6976",
        input_placeholder_color="#66717e",
        input_placeholder_color_dark="#98a2ae",
        button_primary_background_fill=BLUE.c600,
        button_primary_background_fill_dark=BLUE.c600,
        button_primary_background_fill_hover=BLUE.c700,
        button_primary_background_fill_hover_dark=BLUE.c700,
        **{f"button_secondary_{name}{mode}": fill for name, fill in QUIET.items() for mode in ("", "_dark")},
        button_primary_text_color="white",
        button_primary_text_color_dark="white",
        slider_color=LIGHT.output,
        slider_color_dark=DARK.output,
        link_text_color=BLUE.c700,
        link_text_color_dark=BLUE.c400,
    )


def style_sheet() -> str:
    """Our style sheet: the colours as variables named by their meaning, then the rules."""
    light = _meanings(LIGHT, warning="#9a4a00", trough=SLATE.c100)
    dark = _meanings(DARK, warning="#f0a33a", trough="#0f0f12")
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


def _meanings(palette: Palette, warning: str, trough: str) -> str:
    colours = {
        "source": palette.source,
        "output": palette.output,
        "warning": warning,
        "segment-trough": trough,
    }
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
