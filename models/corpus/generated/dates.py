"""Dates as people write them, to ISO 8601. Every form has one reading: no "03/04", no two-digit year."""

from __future__ import annotations

import calendar
import datetime
import random
import re

from models.corpus.generated.task import AlignedPair, GeneratedTask, Options, option
from models.corpus.pairs import Pair

# Spelled out here, since the names of `calendar` and `strftime` depend on the locale.
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# From easy to hard. An option says how many of the first formats are used. With dots the day is first, as in
# German; with slashes the year is first.
DATE_FORMATS = (
    "{day} {month} {year}",
    "{month} {day}, {year}",
    "{day:02}.{number:02}.{year}",
    "{day} {short} {year}",
    "{short} {day}, {year}",
    "{year}/{number:02}/{day:02}",
    "{day}{suffix} of {month} {year}",
    "{weekday}, {day} {month} {year}",
    "{weekday}, {month} {day}{suffix}, {year}",
    "{day:02}-{upper}-{year}",
)

# Patterns that find day, month and year in the formats. The full names of months come before the short ones.
_MONTH_NAME = "|".join((*MONTHS, *(name[:3] for name in MONTHS), *(name[:3].upper() for name in MONTHS)))
_DAY, _MONTH, _YEAR = r"(?P<day>\d{1,2})", rf"(?P<month>{_MONTH_NAME}|\d\d)", r"(?P<year>\d{4})"
DATE_PATTERNS = tuple(
    re.compile(form)
    for form in (
        rf"{_YEAR}/{_MONTH}/{_DAY}",
        rf"\b{_DAY}(?:st|nd|rd|th)?(?: of |[ .-]){_MONTH}[ .-]{_YEAR}",
        rf"{_MONTH} {_DAY}(?:st|nd|rd|th)?, {_YEAR}",
    )
)


def _make(rng: random.Random, options: Options) -> Pair:
    first = datetime.date(options["first_year"], 1, 1).toordinal()
    last = datetime.date(options["last_year"], 12, 31).toordinal()
    date = datetime.date.fromordinal(rng.randint(first, last))
    return date_text(date, rng.choice(DATE_FORMATS[: options["formats"]])), date.isoformat()


def date_text(date: datetime.date, form: str) -> str:
    """The date in one of DATE_FORMATS."""
    month = MONTHS[date.month - 1]
    teens = 11 <= date.day <= 13
    return form.format(
        day=date.day,
        number=date.month,
        month=month,
        short=month[:3],
        upper=month[:3].upper(),
        year=date.year,
        weekday=WEEKDAYS[date.weekday()],
        suffix="th" if teens else {1: "st", 2: "nd", 3: "rd"}.get(date.day % 10, "th"),
    )


def _aligned_pair(rng: random.Random, options: Options) -> AlignedPair:
    """A pair: each digit depends on the year, month or day of the source, the hyphens on nothing."""
    source, target = _make(rng, options)
    match = next(filter(None, (form.search(source) for form in DATE_PATTERNS)))
    parts = {name: frozenset(range(*match.span(name))) for name in ("year", "month", "day")}
    no_positions: frozenset[int] = frozenset()
    relevant = [*[parts["year"]] * 4, no_positions, *[parts["month"]] * 2, no_positions, *[parts["day"]] * 2]
    return AlignedPair(source, target, tuple(relevant))


def _sources(options: Options) -> int:
    years = range(options["first_year"], options["last_year"] + 1)
    days = sum(365 + calendar.isleap(year) for year in years)
    formats = DATE_FORMATS[: options["formats"]]
    # The short name of May is its full name, so two formats can give the same text.
    same_in_may = sum(form.replace("{short}", "{month}") in formats for form in formats if "{short}" in form)
    return days * len(formats) - same_in_may * 31 * len(years)


DATES = GeneratedTask(
    name="dates",
    title="Date formats",
    description="Turns a written date into the form year-month-day.",
    tokenizer="character",
    example=("3 March 2021", "2021-03-03"),
    options=(
        option("formats", "Written forms", "How many ways of writing a date occur.", 1, len(DATE_FORMATS), 4),
        option("first_year", "First year", "The earliest year that occurs.", 1000, 9999, 1900, thousands=""),
        option("last_year", "Last year", "The latest year that occurs.", 1000, 9999, 2099, thousands=""),
    ),
    make=_make,
    sources=_sources,
    aligned=_aligned_pair,
    ordered=(("first_year", "last_year"),),
)
