"""Checks a commit message, for the hook `commit-msg`: python .ci/commit_message.py FILE.

A message is a subject of at most 72 characters, a blank line, and a body that says why.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LONGEST_SUBJECT = 72  # characters
SCISSORS = re.compile(r"^# -+ >8 -+$.*", re.MULTILINE | re.DOTALL)  # above the diff of `commit --verbose`
WRITTEN_BY_GIT = re.compile(r"Merge |Revert \"|(fixup|squash|amend)! ")
TRAILER = re.compile(r"[A-Z][a-z]+(-[a-z]+)*-by: ")  # Signed-off-by and its like give no reason


def problem(message: str) -> str:
    """Return what is wrong with a message, as a sentence; "" if nothing is."""
    lines = [line.rstrip() for line in SCISSORS.sub("", message).splitlines() if not line.startswith("#")]
    subject, *rest = "\n".join(lines).strip().split("\n")
    if WRITTEN_BY_GIT.match(subject):
        return ""
    if not subject:
        return "The message is empty. Write what the commit does, a blank line, and why."
    if len(subject) > LONGEST_SUBJECT:
        return f"The subject has {len(subject)} characters. Shorten it to {LONGEST_SUBJECT}: {subject}"
    if rest and rest[0]:
        return f"The second line must be blank, below the subject. It is: {rest[0]}"
    if not any(line and not TRAILER.match(line) for line in rest):
        return "The message has no body. Add a blank line below the subject, then say why."
    return ""


if __name__ == "__main__":
    sys.exit(problem(Path(sys.argv[1]).read_text(encoding="utf-8")) or 0)
