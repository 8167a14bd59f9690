cell = {"gru": nn.GRU, "lstm": nn.LSTM, "rnn": nn.RNN}[net["cell"]]
layers, width, both = net["num_layers"], net["d_model"], net["bidirectional"]
target = weights["tgt_embedding.weight"]


def cells(prefix, size, hidden, bidirectional=False):
    result = cell(size, hidden, layers, batch_first=True, bidirectional=bidirectional)
    values = {name.removeprefix(prefix): weight for name, weight in weights.items() if prefix in name}
    result.load_state_dict(values)
    return result.requires_grad_(False)


# The encoder reads the source; its last states become the first ones of the decoder.
encoder = cells("encoder.", net["d_embed"], width // 2 if both else width, both)
memory, final = encoder(weights.get("src_embedding.weight", target)[SOURCE].unsqueeze(0))
final = final if isinstance(final, tuple) else (final,)
state = [item.view(layers, -1, 1, item.shape[2]).permute(0, 2, 1, 3).flatten(2) for item in final]
decoder = cells("decoder.", net["d_embed"] + (width if net["context"] == "concat" else 0), width)


def network(ids):
    """The log-probabilities of the token after these ids, which the decoder reads from the start."""
    read = target[ids].unsqueeze(0)
    if net["context"] == "concat":
        read = torch.cat((read, state[0][-1].expand(1, len(ids), -1)), dim=-1)
    features = decoder(read, tuple(state) if len(state) > 1 else state[0])[0][0, -1]
    # Additive attention (Bahdanau et al. 2015): score = v tanh(W s + U h + b), weights = softmax(score).
    if net["attention"] == "additive":
        query = features @ weights["attention.query.weight"].T + weights["attention.query.bias"]
        keys = memory[0] @ weights["attention.key.weight"].T
        scores = (query + keys).tanh() @ weights["attention.energy.weight"].T
        features = torch.cat((features, scores[:, 0].softmax(dim=0) @ memory[0]))
    if "readout.weight" in weights:
        features = (features @ weights["readout.weight"].T + weights["readout.bias"]).tanh()
    logits = features @ weights.get("output.weight", target).T + weights["output.bias"]
    return logits.log_softmax(dim=-1)
