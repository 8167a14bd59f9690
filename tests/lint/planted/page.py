"""Planted breaches of the rules for the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial

from demo.i18n import LANGUAGES
from tests.demo.i18n.catalogues import in_order
from tests.lint.page import bare_texts, cards, numbers, styles, translations
from tests.lint.planted import Planted, Sound, Texts

PYTHON, SCRIPT, SHEET = "demo/tab.py", "demo/view.js", "demo/view.css"
CATALOGUE, CARD = "demo/i18n/it.json", "checkpoints/tiny/README{}.md"
BARE_IN_PYTHON = (
    'gr.Warning("Nothing happens.")',
    'gr.Info(f"It took {seconds} seconds.")',
    'gr.Error(safe_text("Nothing happens."), title=say("Sorry"))',
    'gr.Textbox(label=f"At most {limit} characters of it")',
    'figure = {"title": {"text": f"loss of step {step}"}}',
    'trace = {"hovertemplate": "%{x} of the tokens<extra></extra>"}',
)
BARE_IN_SCRIPT = (
    'said.textContent = "Copied";',
    "node.title = `step ${at}: ${token}`;",
    'node.setAttribute("aria-label", "Close");',
    'make("img", { "aria-label": "The picture" })',
)
NUMBERS_IN_PYTHON = ('f"{share:.1%}"', 'f"{nats:.2f} nats"', 'f"{value:.{digits}g}"', 'f"{pace:,.0f}"')
NUMBERS_IN_SCRIPT = ("node.textContent = share.toFixed(2);", "return count.toLocaleString();")
TEXT = '# tiny\n\nIn 5 steps `a -b` writes "x y"; see [it](https://example.org/1).\n'
SENTENCES = frozenset(("Decode",)).copy  # of a page that takes no seconds to build
TRANSLATED = TEXT.replace(" steps ", "\nkroků ").replace("see", "viz")


def catalogue(entries: Mapping[str, str], **header: str) -> Texts:
    return {CATALOGUE: in_order(json.dumps({"": {"name": "Italiano", **header}, **entries}))}


def card(translated: str) -> Texts:
    """Return an English card with the same translation for every language."""
    others = {CARD.format(f".{code}"): translated for code in LANGUAGES if code != "en"}
    return {CARD.format(""): f"---\nsummary: 7\n---\n{TEXT}", **others}


FIELDS_AND_MARKUP = translations.translations_keep_the_fields_and_hold_no_markup
CARDS = cards.a_card_says_the_same_in_every_language
BREACHES: tuple[Planted, ...] = (
    *((bare_texts.texts_in_python_go_through_the_catalogue, PYTHON, text) for text in BARE_IN_PYTHON),
    *((bare_texts.texts_in_scripts_go_through_the_catalogue, SCRIPT, text) for text in BARE_IN_SCRIPT),
    (bare_texts.no_space_precedes_a_percent_sign, PYTHON, 'f"{share}\u202f%"'),
    *((numbers.numbers_in_python_have_one_format, PYTHON, text) for text in NUMBERS_IN_PYTHON),
    *((numbers.numbers_in_scripts_have_one_format, SCRIPT, text) for text in NUMBERS_IN_SCRIPT),
    (styles.every_class_in_a_style_sheet_is_ours_or_gradios, SHEET, "a {}\n.odd {}"),
    (styles.every_class_of_ours_is_set_somewhere, SHEET, "a {}\n.tv-sampled {}"),
    (styles.the_size_of_text_follows_the_browser, SHEET, "a {\n  font-size: 12px; }"),
    (
        partial(styles.gradio_has_every_name, names=["no-such-class"]),
        {},
        "1: the installed Gradio has no no-such",
    ),
    (styles.every_listed_name_is_used, SHEET, ".toast-wrap {}"),
    (styles.gradio_compat_lists_every_module_that_uses_names, SCRIPT, 'find(".toast-wrap")'),
    (styles.gradio_compat_lists_every_module_that_uses_names, styles.COMPAT, "#   views/other.js\n"),
    (partial(translations.every_sentence_is_translated, keys=SENTENCES), catalogue({}), '1: lacks "Decode"'),
    (
        partial(translations.no_translation_is_left_over, keys=SENTENCES),
        catalogue({"Old": "Vecchio"}, incomplete="in corso"),
        '6: nothing shows "Old"',
    ),
    (FIELDS_AND_MARKUP, catalogue({"Step {step}": "Passo {passo}"}), "5: has other fields"),
    (FIELDS_AND_MARKUP, catalogue({"Stop": ""}), "5: has a translation that is empty"),
    (FIELDS_AND_MARKUP, catalogue({"Stop": "Alt "}), "5: has a translation that is empty or"),
    (FIELDS_AND_MARKUP, catalogue({"Stop": "<b>Alt"}), "5: holds markup"),
    (
        translations.only_terms_of_the_glossary_have_several_forms,
        catalogue({"Stop": "Alt|Ferma"}),
        "5: has several",
    ),
    (translations.a_catalogue_is_sorted, CATALOGUE, '{"b": "B", "a": "A"}'),
    (translations.every_key_of_a_catalogue_occurs_once, CATALOGUE, '{"a": "A", "a": "B"}'),
    (CARDS, CARD.format(""), "# tiny"),
    (CARDS, card(TEXT), "1: is in English"),
    (CARDS, card(f"No heading. {TRANSLATED}"), "1: does not begin"),
    (CARDS, card(f"{TRANSLATED}\n\nMore."), "1: has another number"),
    (CARDS, card(TRANSLATED.replace("5", "6")), "1: has other figures"),
    (CARDS, card(TRANSLATED.replace("-b", "-c")), "1: has other code"),
    (CARDS, card(TRANSLATED.replace("/1", "/2")), "1: has other links"),
    (CARDS, card(TRANSLATED.replace("x y", "y x")), "1: has other quotations"),
)
SOUND: tuple[Sound, ...] = (
    ("page.numbers", {PYTHON: 'x = f"{count:,}" + number_text(float(f"{share:.4g}"))'}),
    ("page.numbers", {SCRIPT: 'node.style.setProperty("--share", share.toFixed(3));'}),
    *(
        ("page.bare_texts", {PYTHON: text})
        for text in (
            'gr.Info(say("{count} seconds", count=count))',
            'gr.Textbox(label="At most {limit} characters")',
            'figure = {"title": {"text": say("loss"), "font": {"color": LIGHT.ink}}}',
            'trace = {"hovertemplate": "%{x}: %{customdata}<extra></extra>", "name": "loss of a run"}',
        )
    ),
    *(
        ("page.bare_texts", {SCRIPT: text})
        for text in (
            'close.textContent = "×";',
            'a.title = `${t("step")} ${at}`;',
            'a.placeholder = t("Find");',
        )
    ),
    ("page.cards", card(TRANSLATED)),
)
