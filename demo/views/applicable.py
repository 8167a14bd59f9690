"""Which parts of the form belong to which strategy: the classes that say so, and the rules that obey them."""

from __future__ import annotations

from demo.operator.allowed import allowed
from models.decoding.strategies import Family, family, names, users

FORM = ".strategy"  # holds all that follows


def only(strategies: tuple[str, ...]) -> list[str]:
    """The classes of what applies to some strategies alone; none for what applies to all."""
    return ["only", *(f"only-{name}" for name in strategies)] if strategies else []


def classes_of(setting: str) -> list[str]:
    """The classes of a setting's control."""
    each = allowed()[setting]
    needs = [_needs(*each.idle)] if each.idle else []
    return [*only(users(setting)), *(["wide"] if each.wide else []), *needs]


def in_form_order() -> tuple[str, ...]:
    """The strategies as their buttons stand: those that search, then those that draw."""
    return (*family(Family.SEARCH), *family(Family.DRAW))


def applicable_rules() -> str:
    """The style sheet's part that shows only what applies, and heads both families of strategies.

    What is hidden leaves the tab order too.
    """
    hidden = [f"{_chosen('strategy', name)} .only:not(.only-{name})" for name in names()]
    idle = dict.fromkeys(each.idle for each in allowed().values() if each.idle)
    hidden += [f"{_chosen(*found)} .{_needs(*found)}" for found in idle]
    first_draw = len(family(Family.SEARCH)) + 1
    return "\n".join(
        (
            ",\n".join(hidden) + " { display: none !important; }",
            f".strategies label:nth-of-type(n + {first_draw}) {{ order: 2; }}",
        )
    )


def _chosen(setting: str, value: str) -> str:
    return f'{FORM}:has(#{setting} input[value="{value}"]:checked)'


def _needs(setting: str, value: str) -> str:
    return f"{setting}-not-{value}"
