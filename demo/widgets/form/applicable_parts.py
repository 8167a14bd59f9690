"""Shows the parts of the form that apply to the chosen strategy: their CSS classes, and the style rules."""

from __future__ import annotations

from demo.work.operator.caps import allowed_settings
from models.decoding.description import Family
from models.decoding.strategies import description_of, family, names, users

FORM_SELECTOR = ".strategy"  # contains all parts


def only(strategies: tuple[str, ...]) -> list[str]:
    """The classes of a part that applies to some strategies only; none for a part that applies to all."""
    return ["only", *(f"only-{name}" for name in strategies)] if strategies else []


def classes_of(setting: str) -> list[str]:
    """The classes of a setting's control."""
    options = allowed_settings()[setting]
    needs = [_needs(*options.idle)] if options.idle else []
    return [*only(users(setting)), *(["wide"] if options.wide else []), *needs]


def in_form_order() -> tuple[str, ...]:
    """The strategies in the order of their buttons: searches, then strategies that draw."""
    return (*family(Family.SEARCH), *family(Family.DRAW))


def applicable_rules() -> str:
    """Style rules that hide inapplicable parts and rare strategies, and put those that draw after the others.

    Hidden parts leave the tab order, too.
    """
    hidden = [f"{_when('strategy', name)} .only:not(.only-{name})" for name in names()]
    idle = dict.fromkeys(setting.idle for setting in allowed_settings().values() if setting.idle)
    hidden += [f"{_when(*condition)} .{_needs(*condition)}" for condition in idle]
    rare = ", ".join(f'[value="{name}"]' for name in names() if description_of(name).rare)
    unchosen = f"label:has(:is({rare}):not(:checked))"
    first_draw = len(family(Family.SEARCH)) + 1
    return "\n".join(
        (
            ",\n".join(hidden) + " { display: none !important; }",
            f".strategies label:nth-of-type(n + {first_draw}) {{ order: 2; }}",
            f"{FORM_SELECTOR}:has(.more-strategies input:not(:checked)) .strategies {unchosen}"
            " { display: none !important; }",
        )
    )


def _when(setting: str, value: str) -> str:
    return f'{FORM_SELECTOR}:has(#{setting} input[value="{value}"]:checked)'


def _needs(setting: str, value: str) -> str:
    return f"{setting}-not-{value}"
