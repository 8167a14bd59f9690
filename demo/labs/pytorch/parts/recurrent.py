"""The network of a recurrent checkpoint."""

import torch
from torch import nn
from torch.nn import functional as F


def network(weights, config, source):
    """A function of the tokens fed: log-probabilities of the token after each, (T,) -> (T, V)."""

    def layer(name):
        tensors = {key[len(name) + 1 :]: tensor for key, tensor in weights.items() if key.startswith(name)}
        (_, width), (_, hidden) = tensors["weight_ih_l0"].shape, tensors["weight_hh_l0"].shape
        kind = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[config["cell"]]
        result = kind(width, hidden, batch_first=True, bidirectional="weight_ih_l0_reverse" in tensors)
        result.load_state_dict(tensors)
        return result

    table, decoder = weights["tgt_embedding.weight"], layer("decoder")
    memory, final = layer("encoder")(weights.get("src_embedding.weight", table)[source].unsqueeze(0))
    # The last state begins the decoder's, that of both directions as one; an LSTM has h and c.
    final = final if isinstance(final, tuple) else (final,)
    first = [part.transpose(0, 1).reshape(1, 1, -1) for part in final]

    def log_probs(tokens):
        vectors = table[tokens].unsqueeze(0)
        if config["context"] == "concat":
            vectors = torch.cat([vectors, first[0].expand(-1, len(tokens), -1)], dim=-1)
        x, _ = decoder(vectors, tuple(first) if len(first) > 1 else first[0])
        if config["attention"] == "additive":
            queries = F.linear(x, weights["attention.query.weight"], weights["attention.query.bias"])
            keys = memory @ weights["attention.key.weight"].T
            energies = (queries.unsqueeze(2) + keys.unsqueeze(1)).tanh() @ weights["attention.energy.weight"][
                0
            ]
            x = torch.cat([x, energies.softmax(dim=-1) @ memory], dim=-1)
        if "readout.weight" in weights:
            x = F.linear(x, weights["readout.weight"], weights["readout.bias"]).tanh()
        return F.linear(x, weights.get("output.weight", table), weights["output.bias"]).log_softmax(dim=-1)[0]

    return log_probs
