"""Whether what is found is what was saved."""

import re

import pytest

TOLERANCE = 1e-4
RELATIVE = 1e-5  # of numbers that grow without bounds, as a perplexity does; processors round differently
LISTS = re.compile(r"(?<=there are: ).*|(?<=must be one of ).*(?=; got)")  # of names, in a sentence
ROOM = re.compile(r"\.layout\.(height|margin\.[a-z])$")  # of a drawing: more, so that nothing in it is cut
JUDGED = {"cause", "evidence", "knob"}  # of an output; fewer references are called doubtful than before
ELSEWHERE = {"verdict", "reference"}  # parts of Compare, which are not listed for the other tabs any more


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def without_new(found, expected):
    """`found` without the names that its objects have gained since `expected` was saved."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return {name: without_new(value, expected[name]) for name, value in found.items() if name in expected}
    return found


def spelled(sentence):
    """The sentence with its numbers spelled as the page does now: 86.4%, −6.45; without arrows of axes."""
    sentence = " ".join(re.sub("[←↑→↓]", " ", sentence).split()).replace(" )", ")")
    return re.sub(r"(?<![\w.])-(?=\d)", "−", re.sub(r"(?<=\d) %", "%", sentence))


def is_same_sentence(found, expected):
    """Whether only the lists in it differ, and name at least what they named before, in any order.

    Numbers may be spelled otherwise.
    """
    found, expected = spelled(found), spelled(expected)
    if LISTS.sub("", found) != LISTS.sub("", expected):
        return False
    now, before = (set(re.findall(r"\w+", " ".join(LISTS.findall(told)))) for told in (found, expected))
    return now >= before - ELSEWHERE


def check_same(found, expected, place="", more=False):
    """Numbers may differ by the tolerance, and lists in a sentence may have grown, but nothing else may.

    With `more`, objects may have gained names, and drawings room.
    """
    if more and ROOM.search(place):
        assert is_number(found), place
        assert found >= expected, place
    elif isinstance(expected, dict):
        assert isinstance(found, dict), place
        missing, new = expected.keys() - found.keys(), found.keys() - expected.keys()
        assert not missing, f"{place}: without {missing}"
        assert more or not new, f"{place}: with {new}"
        judged = JUDGED if expected.get("cause") == "reference" != found.get("cause") else set()
        for name, value in expected.items():
            if name in judged:
                continue
            check_same(found[name], value, f"{place}.{name}", more)
    elif isinstance(expected, list):
        assert isinstance(found, list), place
        assert len(found) == len(expected), f"{place}: {len(found)} instead of {len(expected)}"
        for at, (one, other) in enumerate(zip(found, expected, strict=True)):
            check_same(one, other, f"{place}[{at}]", more)
    elif is_number(expected) and is_number(found):
        relative = RELATIVE if isinstance(expected, float) else 0
        assert found == pytest.approx(expected, rel=relative, abs=TOLERANCE), place
    elif isinstance(expected, str) and isinstance(found, str):
        assert is_same_sentence(found, expected), f"{place}: {found!r} instead of {expected!r}"
    else:
        assert found == expected, place


def check_alike(found, expected, place="", more=False):
    """Values may differ, their kinds and names may not."""
    if isinstance(expected, dict):
        missing, new = expected.keys() - found.keys(), found.keys() - expected.keys()
        assert not missing, f"{place}: without {missing}"
        assert more or not new, f"{place}: with {new}"
        for name, value in expected.items():
            check_alike(found[name], value, f"{place}.{name}", more)
    elif isinstance(expected, list):
        assert bool(found) == bool(expected), place
        for one, other in zip(found[:1], expected[:1], strict=True):
            check_alike(one, other, f"{place}[0]", more)
    else:
        assert type(found) is type(expected), place
