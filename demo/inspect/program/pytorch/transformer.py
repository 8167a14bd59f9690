# The probability that a Transformer gives each token of one output after those before it.
import json
import math
import sys
from pathlib import Path

import torch
from torch.nn import functional as F

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "checkpoints/NAME")
SOURCE = []  # ids of the tokens that were read
OUTPUT = []  # ids of the tokens that were written
TOKENS = []
START = 0  # id of the decoder's first input


def load(path):
    """The weights of a file: 8 bytes of length, a header of JSON, then the numbers."""
    data = bytearray(path.read_bytes())
    begin = 8 + int.from_bytes(data[:8], "little")
    types = {"F16": torch.float16, "F32": torch.float32, "BF16": torch.bfloat16}
    for name, entry in json.loads(data[8:begin]).items():
        if name != "__metadata__":
            first, last = (begin + offset for offset in entry["data_offsets"])
            numbers = torch.frombuffer(data[first:last], dtype=types[entry["dtype"]])
            yield name, numbers.view(entry["shape"]).float()


net = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))["network"]
weights = dict(load(FOLDER / "model.safetensors"))
width, heads = net["d_model"], net["num_heads"]


def linear(name, x):
    return F.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def norm(name, x):
    return F.layer_norm(x, (width,), weights[f"{name}.weight"], weights[f"{name}.bias"])


def attend(name, queries, keys, values, mask=0.0):
    """softmax(Q K^T / sqrt(d)) V in each head (Vaswani et al. 2017, section 3.2)."""
    q, k, v = (x.view(len(x), heads, -1).transpose(0, 1) for x in (queries, keys, values))
    shares = (q @ k.transpose(1, 2) / math.sqrt(width // heads) + mask).softmax(dim=-1)
    return linear(f"{name}.output", (shares @ v).transpose(0, 1).flatten(1))


def embed(table, ids):
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angles = torch.arange(len(ids)).unsqueeze(1) * rates
    return table[ids] * math.sqrt(width) + torch.cat((angles.sin(), angles.cos()), dim=1)


def block(name, x, mask=0.0, memory=None):
    """One layer: each part reads the normalised x, and its result is added to x."""
    own_attention = linear(f"{name}.self_attention.query_key_value", norm(f"{name}.residual_self.norm", x))
    x = x + attend(f"{name}.self_attention", *own_attention.chunk(3, dim=-1), mask)
    if memory is not None:
        query = linear(f"{name}.cross_attention.query", norm(f"{name}.residual_cross.norm", x))
        both = linear(f"{name}.cross_attention.key_value", memory)
        x = x + attend(f"{name}.cross_attention", query, *both.chunk(2, dim=-1))
    hidden = linear(f"{name}.feed_forward.expand", norm(f"{name}.residual_feed_forward.norm", x))
    return x + linear(f"{name}.feed_forward.contract", getattr(F, net["activation"])(hidden))


target = weights["tgt_embedding.weight"]
memory = embed(weights.get("src_embedding.weight", target), SOURCE)
for layer in range(net["num_layers"]):
    memory = block(f"encoder.{layer}", memory)
memory = norm("encoder_norm", memory)
x = embed(target, [START, *OUTPUT[:-1]])
causal = torch.full((len(x), len(x)), -math.inf).triu(1)  # no position sees those after it
for layer in range(net["num_decoder_layers"]):
    x = block(f"decoder.{layer}", x, causal, memory)
logits = norm("decoder_norm", x) @ weights.get("output.weight", target).T + weights["output.bias"]
output_log_probs = logits.log_softmax(dim=-1)[range(len(OUTPUT)), OUTPUT].tolist()
for token, log_prob in zip(TOKENS, output_log_probs, strict=True):
    print(f"{token}\t{log_prob:.6f}\t{math.exp(log_prob):.1%}")
print(f"log-probability\t{math.fsum(output_log_probs):.6f}")
