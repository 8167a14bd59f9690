# The probability that a Transformer gives each token of one output after those before it.
import math

import torch
from frame import OUTPUT, SOURCE, START, net, weights
from torch.nn import functional as F

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
