"""One-hot rows times a table against nn.Embedding in PyTorch, with the embeddings of the shipped spa-eng-gru.

Run it where `checkpoints/` is.
"""

import json
import struct
from pathlib import Path

import torch
from torch import nn

# Pieces of the checkpoint's vocabulary; ▁ begins a word.
PIECES = "▁El ▁perro ▁ve ▁al ▁gato ▁y ▁el ▁gato ▁ve ▁al ▁perro . </s>"
vocab = json.loads(Path("checkpoints/spa-eng-gru/tokenizer.json").read_text("utf-8"))["model"]["vocab"]
IDS, WORD, PAD = [vocab[piece] for piece in PIECES.split()], vocab["▁perro"], vocab["<pad>"]
SPECIAL = [vocab[token] for token in ("<pad>", "<unk>", "<s>", "</s>")]  # that stand for no text

# A safetensors file: the length of a JSON header, the header, the numbers (here fp16).
content = Path("checkpoints/spa-eng-gru/model.safetensors").read_bytes()
(length,) = struct.unpack("<Q", content[:8])
entry = json.loads(content[8 : 8 + length])["tgt_embedding.weight"]  # of source and target
begin, end = (8 + length + offset for offset in entry["data_offsets"])
numbers = torch.frombuffer(bytearray(content[begin:end]), dtype=torch.float16)
table = numbers.view(entry["shape"]).float()  # (V, E)
rows, dimensions = table.shape

# The same vectors in two ways; two tokens of padding stand behind the text.
ids = torch.tensor([*IDS, PAD, PAD])
one_hot = nn.functional.one_hot(ids, rows).float()  # (N, V)
embedding = nn.Embedding.from_pretrained(table.clone(), freeze=False, padding_idx=PAD)
vectors = embedding(ids)  # (N, E)
difference = (one_hot @ table - vectors).abs().max().item()
print("tokens", len(IDS))
print("distinct", len(set(IDS)))
print("vocabulary", rows)
print("dimensions", dimensions)
print("difference", difference)
print("multiplications", one_hot.numel() * dimensions)
print("copied", vectors.numel())

# Which rows learn from a loss of these vectors; padding_idx keeps <pad> out.
(vectors.square().sum() / 2).backward()
gradients = embedding.weight.grad.norm(dim=1)
print("rows_with_gradient", gradients.count_nonzero().item())
print("pad_gradient", gradients[PAD].item())
print("pad_length", table[PAD].norm().item())

# Neighbours: the smallest angles to one row, in all dimensions.
labels = {number: token.replace("▁", "␣") for token, number in vocab.items()}
cosines = nn.functional.cosine_similarity(table.double(), table[WORD].double().unsqueeze(0))
cosines[[*SPECIAL, WORD]] = -torch.inf
order = cosines.argsort(descending=True).tolist()
print("length", table[WORD].norm().item())
print("nearest", labels[order[0]])
print("similarity", cosines[order[0]].item())
in_text = min(order.index(number) for number in set(IDS) - {WORD, *SPECIAL})
print("text_nearest", labels[order[in_text]])
print("text_similarity", cosines[order[in_text]].item())
print("text_rank", in_text + 1)
