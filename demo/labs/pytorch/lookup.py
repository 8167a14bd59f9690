"""One-hot rows times a table against nn.Embedding in PyTorch: run it where `checkpoints/` is."""

from pathlib import Path

from parts.checkpoint import tensors, vocabulary
from torch.nn import functional as F

from models.labs.lookup import facts_of, looked_up

CHECKPOINT = "spa-eng-gru"  # was trained for hours, so this program reads what it learnt
TABLE = "tgt_embedding.weight"  # or "src_embedding.weight", where the source has its own
# The text as the checkpoint's tokenizer cuts it; ▁ begins a word.
TEXT = "▁El ▁perro ▁ve ▁al ▁gato ▁y ▁el ▁gato ▁ve ▁al ▁perro . </s>".split()
ABOUT = "▁perro"  # the token whose neighbours are sought

folder = Path("checkpoints") / CHECKPOINT
vocab, table = vocabulary(folder), tensors(folder)[TABLE]  # (V, E)
text, about, pad = [vocab[token] for token in TEXT], vocab[ABOUT], vocab["<pad>"]
special = {vocab[token] for token in ("<pad>", "<unk>", "<s>", "</s>")}  # tokens without a text

# The same vectors in two ways; two tokens of padding stand behind the text.
result = looked_up(table, [*text, pad, pad], pad)
for name, value in facts_of(table, text, pad, about, result).items():
    print(name, value)

# Neighbours: the smallest angles to one row, in all dimensions. A row of 0 has no direction.
if table[about].any():
    cosines = F.cosine_similarity(table.double(), table[about].double().unsqueeze(0))
    near = [row for row in cosines.argsort(descending=True).tolist() if row not in {*special, about}]
    labels = {row: token.replace("▁", "␣") for token, row in vocab.items()}
    print("nearest", labels[near[0]])
    print("similarity", cosines[near[0]].item())
    in_text = [row for row in near if row in text]
    if in_text:
        print("text_nearest", labels[in_text[0]])
        print("text_similarity", cosines[in_text[0]].item())
        print("text_rank", near.index(in_text[0]) + 1)
