"""The tokens with a meaning of their own, which every vocabulary begins with. Imports no other library."""

PAD, UNK, BOS, EOS = "<pad>", "<unk>", "<s>", "</s>"
SPECIAL_TOKENS = (PAD, UNK, BOS, EOS)
