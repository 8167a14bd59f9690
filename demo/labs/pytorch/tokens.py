"""Byte-pair encoding merge by merge, and a padded table of tokens."""

from models.labs.subwords import batch, cut_by_method, facts_of, learn_merges

TEXT = "the lowest tower\nthe newest and lowest of the towers\nlower, slower, lowest"
MERGES = 12
KIND = "bpe"  # or "words", "characters", "wordpiece", "unigram": the tokens of the table
SUBWORDS = {}  # each line as WordPiece and Unigram cut it; the library `tokenizers` learns them
LONGEST = 12
PADDING = "right"  # or "left"

lines = [line.strip() for line in TEXT.splitlines() if line.strip()]
merges = learn_merges("\n".join(lines), MERGES)
cut = cut_by_method(lines, merges) | SUBWORDS
table = batch(cut[KIND], LONGEST, left=PADDING == "left")
for name, value in facts_of(lines, merges, cut, KIND, table).items():
    print(name, value)
