"""The words of a text."""

import re

# A word is a run of letters, digits and inner apostrophes; a Chinese or Japanese sign is one by itself.
PATTERN = r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+(?:['’][^\W_]+)*"


def sentences(text):
    """The words of each sentence, in lower case, without the end marks."""
    parts = [re.findall(PATTERN, part.lower()) for part in re.split(r"[.!?。！？\n]+", text)]
    return [words for words in parts if words]
