"""Planted breaches of the rules for assertions."""

from __future__ import annotations

from tests.lint.code import assertions
from tests.lint.planted import Planted, Sound

RAISES = "def test_x():\n    with pytest.raises(ValueError, match={pattern}): f()"
IN_ERROR = "def test_x():\n    assert {words} in {error}"
IN_CASES = """
@pytest.mark.parametrize(("value", "told"), [(1, "size"), (2, "size must be even")])
def test_x(value, told):
    assert told in ask(value)["refused"]"""
CASES = """
@pytest.mark.parametrize(("value", "pattern"), [(1, "size"), (2, {cell})])
def test_x(value, pattern):
    with pytest.raises(ValueError, match=pattern): f(value)"""
BREACHES: tuple[Planted, ...] = tuple(
    (rule, "tests/test_planted.py", text)
    for rule, texts in {
        assertions.reads_no_clock: (
            "def test_x():\n    start = time.monotonic()\n    assert time.monotonic() - start < 5",
            "def test_x():\n    took = perf_counter() - 1\n    assert took < 5",
            "def test_x():\n    end = time.time() + 5\n    while end > time.time(): pass",
            "def test_x():\n    assert found.time <= datetime.now(timezone.utc)",
        ),
        assertions.matches_no_error_of_ours: (
            RAISES.format(pattern='"line 3"').replace("ValueError", "DataError"),
        ),
        assertions.matches_no_words: (
            RAISES.format(pattern='"must be between"'),
            RAISES.format(pattern='f"{name} is not here"'),
            CASES.format(cell='"size must be even"'),
        ),
        assertions.matches_not_everything: (
            *(RAISES.format(pattern=pattern) for pattern in ('""', '"size|"', '".*"')),
            CASES.format(cell='""'),
        ),
        assertions.asserts_no_words_of_an_error: (
            IN_ERROR.format(words='"cannot be read"', error="failed.reason"),
            IN_ERROR.format(words='f"has {n} words"', error='ask(n)["refused"]'),
            IN_ERROR.format(words='"too long"', error='answer["error"]'),
            IN_ERROR.format(words='"taken away"', error="run.sentence()"),
            IN_ERROR.format(words='"cannot be read"', error="done.stderr"),
            IN_ERROR.format(words='"cannot be read"', error="str(caught.value)"),
            IN_ERROR.format(words='"too long"', error="message_text(job.reason)"),
            'def test_x():\n    why = ask(1)["refused"]\n    assert "too long" in why',
            IN_CASES,
        ),
        assertions.counts_nothing_that_grows: (
            "assert len(names()) == 9",
            "assert len(demo.lessons()) == 14",
            'assert "This call takes 24 values" in answer',
            'assert "nth-of-type(n + 7)" in rules',
            "options.nth(options.count() - 2).click()",
        ),
    }.items()
    for text in texts
)
SOUND_TEXTS = (
    "def test_x():\n    run.write(heartbeat=time.time())\n    assert run.state() is LOST",
    RAISES.format(pattern='"max_length"'),
    RAISES.format(pattern='r"\\b3\\b.*beam_size"'),
    "def test_x():\n    with pytest.raises(AppError, match=wording(code, **fields)):\n        f()",
    CASES.format(cell='"beam_size"'),
    IN_ERROR.format(words='"beam_size"', error="done.stderr"),
    IN_ERROR.format(words='"a shorter row"', error='answer["told"]'),
    "assert len(found) == 3",
    "assert len(names()) == len(forms)",
    "tokens.nth(3).click()",
)
SOUND: tuple[Sound, ...] = tuple(("code.assertions", {"tests/test_planted.py": text}) for text in SOUND_TEXTS)
