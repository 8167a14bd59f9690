# The probability that a recurrent network gives each token of one output after those before it.
import torch
from frame import OUTPUT, SOURCE, START, net, weights
from torch import nn

cell = {"gru": nn.GRU, "lstm": nn.LSTM, "rnn": nn.RNN}[net["cell"]]
layers, width, both = net["num_layers"], net["d_model"], net["bidirectional"]


def cells(prefix, inputs, hidden, bidirectional=False):
    result = cell(inputs, hidden, layers, batch_first=True, bidirectional=bidirectional)
    result.load_state_dict(
        {name.removeprefix(prefix): weight for name, weight in weights.items() if prefix in name}
    )
    return result


with torch.no_grad():
    # The encoder reads the source; its last states become the first ones of the decoder.
    table = weights.get("src_embedding.weight", weights["tgt_embedding.weight"])
    encoder = cells("encoder.", net["d_embed"], width // 2 if both else width, both)
    memory, final = encoder(table[SOURCE].unsqueeze(0))
    final = final if isinstance(final, tuple) else (final,)
    state = [item.view(layers, -1, 1, item.shape[2]).permute(0, 2, 1, 3).flatten(2) for item in final]

    # The decoder reads the start token, then each token of the output.
    read = weights["tgt_embedding.weight"][[START, *OUTPUT[:-1]]].unsqueeze(0)
    if net["context"] == "concat":
        read = torch.cat((read, state[0][-1].expand(1, len(OUTPUT), -1)), dim=-1)
    decoder = cells("decoder.", read.shape[2], width)
    features, _ = decoder(read, tuple(state) if len(state) > 1 else state[0])

    # Additive attention (Bahdanau et al. 2015): score = v tanh(W s + U h + b), weights = softmax(score).
    if net["attention"] == "additive":
        query = features @ weights["attention.query.weight"].T + weights["attention.query.bias"]
        keys = memory @ weights["attention.key.weight"].T
        scores = (query.unsqueeze(2) + keys.unsqueeze(1)).tanh() @ weights["attention.energy.weight"].T
        attention = scores.squeeze(-1).softmax(dim=-1)
        features = torch.cat((features, attention @ memory), dim=-1)
    if "readout.weight" in weights:
        features = (features @ weights["readout.weight"].T + weights["readout.bias"]).tanh()
    output = weights.get("output.weight", weights["tgt_embedding.weight"])
    log_probs = (features @ output.T + weights["output.bias"]).log_softmax(dim=-1)[0]

output_log_probs = log_probs[range(len(OUTPUT)), OUTPUT].tolist()
