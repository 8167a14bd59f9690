"""The network of a Transformer checkpoint."""

import math

from torch.nn import functional as F

from models.networks.transformer.model import sinusoidal_positions


def network(weights, config, source):
    """A function of the tokens fed: log-probabilities of the token after each, (T,) -> (T, V)."""
    width, heads, table = config["d_model"], config["num_heads"], weights["tgt_embedding.weight"]

    def linear(x, name):
        return F.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def norm(x, name):
        return F.layer_norm(x, (width,), weights[f"{name}.weight"], weights[f"{name}.bias"])

    def attend(name, *parts, causal=False):
        queries, keys, values = (part.view(len(part), heads, -1).transpose(0, 1) for part in parts)
        mixed = F.scaled_dot_product_attention(queries, keys, values, is_causal=causal)
        return linear(mixed.transpose(0, 1).flatten(1), f"{name}.output")

    def layer(x, name, memory=None):
        inner, cross = f"{name}.self_attention", f"{name}.cross_attention"
        parts = linear(norm(x, f"{name}.residual_self.norm"), f"{inner}.query_key_value").chunk(3, dim=-1)
        x = x + attend(inner, *parts, causal=memory is not None)
        if memory is not None:
            queries = linear(norm(x, f"{name}.residual_cross.norm"), f"{cross}.query")
            x = x + attend(cross, queries, *linear(memory, f"{cross}.key_value").chunk(2, dim=-1))
        hidden = linear(norm(x, f"{name}.residual_feed_forward.norm"), f"{name}.feed_forward.expand").relu()
        return x + linear(hidden, f"{name}.feed_forward.contract")

    def stack(name, tokens, layers, memory=None):
        x = math.sqrt(width) * table[tokens] + sinusoidal_positions(len(tokens), width)
        for index in range(layers):
            x = layer(x, f"{name}.{index}", memory)
        return norm(x, f"{name}_norm")

    memory = stack("encoder", source, config["num_layers"])

    def log_probs(tokens):
        x = stack("decoder", tokens, config["num_decoder_layers"], memory)
        return F.linear(x, table, weights["output.bias"]).log_softmax(dim=-1)

    return log_probs
