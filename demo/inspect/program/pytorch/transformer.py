width, heads = net["d_model"], net["num_heads"]
target = weights["tgt_embedding.weight"]


def linear(name, x):
    return F.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def norm(name, x):
    return F.layer_norm(x, (width,), weights[f"{name}.weight"], weights[f"{name}.bias"])


def attend(name, queries, keys, values, causal=False):
    """softmax(Q K^T / sqrt(d)) V in each head (Vaswani et al. 2017, section 3.2)."""
    q, k, v = (x.view(1, len(x), heads, -1).transpose(1, 2) for x in (queries, keys, values))
    heads_read = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return linear(f"{name}.output", heads_read[0].transpose(0, 1).flatten(1))


def embed(table, ids):
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    angles = torch.arange(len(ids)).unsqueeze(1) * rates
    return table[ids] * math.sqrt(width) + torch.cat((angles.sin(), angles.cos()), dim=1)


def block(name, x, memory=None):
    """One layer: each part reads the normalised x, and its result is added to x."""
    read = linear(f"{name}.self_attention.query_key_value", norm(f"{name}.residual_self.norm", x))
    x = x + attend(f"{name}.self_attention", *read.chunk(3, dim=-1), causal=memory is not None)
    if memory is not None:
        query = linear(f"{name}.cross_attention.query", norm(f"{name}.residual_cross.norm", x))
        both = linear(f"{name}.cross_attention.key_value", memory)
        x = x + attend(f"{name}.cross_attention", query, *both.chunk(2, dim=-1))
    hidden = linear(f"{name}.feed_forward.expand", norm(f"{name}.residual_feed_forward.norm", x))
    return x + linear(f"{name}.feed_forward.contract", getattr(F, net["activation"])(hidden))


memory = embed(weights.get("src_embedding.weight", target), SOURCE)
for layer in range(net["num_layers"]):
    memory = block(f"encoder.{layer}", memory)
memory = norm("encoder_norm", memory)


def network(ids):
    """The log-probabilities of the token after these ids, which the decoder reads from the start."""
    x = embed(target, ids)
    for layer in range(net["num_decoder_layers"]):
        x = block(f"decoder.{layer}", x, memory)
    logits = norm("decoder_norm", x[-1]) @ weights.get("output.weight", target).T + weights["output.bias"]
    return logits.log_softmax(dim=-1)
