"""Comparisons of present results with saved ones."""

import re

import pytest

TOLERANCE = 1e-4
RELATIVE = 1e-5  # tolerance of unbounded numbers such as perplexities, which processors round differently
LISTS = re.compile(r"(?<=there are: ).*|(?<=must be one of ).*(?=; got)")  # lists of names in a sentence
ROOM = re.compile(r"\.layout\.(height|meta\.min_width|margin\.[a-z])$")  # a chart may have grown
LEFT_EDGE = re.compile(r"\.tree\.layout\.xaxis\.range\[0\]$")  # it may have moved away
DIAGNOSIS = {"cause", "evidence", "knob"}  # fields that change if a reference is no longer doubtful
ELSEWHERE = {"verdict", "reference"}  # parts of Compare, which are no longer listed for other tabs


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def without_new(actual, expected):
    """Return `actual` without the names that its objects have gained since `expected` was saved."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return {
            name: without_new(value, expected[name]) for name, value in actual.items() if name in expected
        }
    return actual


def spelled(sentence):
    """Return a sentence with numbers in the present spelling (86.4%, −6.45) and without arrows of axes.

    A sample was called the best path, a parameter stood in a link, and the model was asked about prefixes.
    """
    sentence = sentence.replace("stands in the link", "appears in the link")
    sentence = sentence.replace("The model was asked about", "The model has scored")
    sentence = re.sub("(the best path|sample 1) takes", "… takes", sentence, flags=re.IGNORECASE)
    sentence = " ".join(re.sub("[←↑→↓]", " ", sentence).split()).replace(" )", ")")
    return re.sub(r"(?<![\w.])-(?=\d)", "−", re.sub(r"(?<=\d) %", "%", sentence))


def is_same_sentence(actual, expected):
    """Whether two sentences differ only in the spelling of numbers and in lists, which may have grown."""
    actual, expected = spelled(actual), spelled(expected)
    if LISTS.sub("", actual) != LISTS.sub("", expected):
        return False
    now, before = (
        set(re.findall(r"\w+", " ".join(LISTS.findall(sentence)))) for sentence in (actual, expected)
    )
    return now >= before - ELSEWHERE


def check_same(actual, expected, path="", more=False):
    """Assert equality up to the tolerance of numbers and longer lists in sentences.

    With `more`, objects may have gained names and charts may have grown.
    """
    if more and ROOM.search(path):
        assert is_number(actual), path
        assert actual >= expected, path
    elif more and LEFT_EDGE.search(path):
        assert actual <= expected, path
    elif isinstance(expected, dict):
        assert isinstance(actual, dict), path
        missing, new = expected.keys() - actual.keys(), actual.keys() - expected.keys()
        assert not missing, f"{path}: without {missing}"
        assert more or not new, f"{path}: with {new}"
        ignored = DIAGNOSIS if expected.get("cause") == "reference" != actual.get("cause") else set()
        for name, value in expected.items():
            if name in ignored:
                continue
            check_same(actual[name], value, f"{path}.{name}", more)
    elif isinstance(expected, list):
        assert isinstance(actual, list), path
        assert len(actual) == len(expected), f"{path}: {len(actual)} instead of {len(expected)}"
        for index, (one, other) in enumerate(zip(actual, expected, strict=True)):
            check_same(one, other, f"{path}[{index}]", more)
    elif is_number(expected) and is_number(actual):
        relative = RELATIVE if isinstance(expected, float) else 0
        assert actual == pytest.approx(expected, rel=relative, abs=TOLERANCE), path
    elif isinstance(expected, str) and isinstance(actual, str):
        assert is_same_sentence(actual, expected), f"{path}: {actual!r} instead of {expected!r}"
    else:
        assert actual == expected, path


def check_alike(actual, expected, path="", more=False):
    """Assert the same names and types; values may differ."""
    if isinstance(expected, dict):
        missing, new = expected.keys() - actual.keys(), actual.keys() - expected.keys()
        assert not missing, f"{path}: without {missing}"
        assert more or not new, f"{path}: with {new}"
        for name, value in expected.items():
            check_alike(actual[name], value, f"{path}.{name}", more)
    elif isinstance(expected, list):
        assert bool(actual) == bool(expected), path
        for one, other in zip(actual[:1], expected[:1], strict=True):
            check_alike(one, other, f"{path}[0]", more)
    else:
        assert type(actual) is type(expected), path
