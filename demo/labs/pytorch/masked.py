"""A masked token guessed from one side and from both in PyTorch: run it in the project's folder."""

from collections import Counter
from pathlib import Path

import torch
from torch import nn

from models.labs.masked import tokens_of

UNIT = "words"  # or "characters"
LAYERS = "1"  # or "2", "3"
TEXT = ""  # empty: the novel
SENTENCE = "So she _ down to the table."
UPDATES = 720  # the three networks take turns; 0: before the training
WIDTH, HIDDEN, LENGTH, ROWS, SIZE = 32, 48, 20, 24, 600

# The last tenth of the text is held out. Id 0 is that of rare tokens, 1 that of the edge of a sentence.
tokens = tokens_of(TEXT.strip() or Path("models/labs/alice.txt").read_text("utf-8"), UNIT)
cut = round(len(tokens) * 0.9)
frequent = Counter(token for token in tokens[:cut] if token).most_common(SIZE)
vocabulary = ["<unk>", "", *(token for token, _ in frequent)]
index_of = {token: index for index, token in enumerate(vocabulary)}
ids = torch.tensor([index_of.get(token, 0) for token in tokens])
rng = torch.Generator().manual_seed(7)


class Masked(nn.Module):
    """(B, T) tokens -> (B, T - 2, V) logits of those between, by a stack of GRUs for each side."""

    def __init__(self, *sides):
        super().__init__()
        self.bias, self.stacks = nn.Parameter(torch.zeros(len(vocabulary))), nn.ModuleDict()
        for side in sides:
            embedding, output = (
                nn.Embedding(len(vocabulary), WIDTH),
                nn.Linear(HIDDEN, len(vocabulary), bias=False),
            )
            gru = nn.GRU(WIDTH, HIDDEN, int(LAYERS), batch_first=True)
            self.stacks[side] = nn.ModuleList([embedding, gru, output])
            for parameter in self.stacks[side].parameters():
                nn.init.uniform_(parameter, -(HIDDEN**-0.5), HIDDEN**-0.5, generator=rng)

    def forward(self, x):
        logits = self.bias
        for side, (embedding, gru, output) in self.stacks.items():
            states = gru(embedding(x[:, :-2] if side == "before" else x[:, 2:].flip(1)))[0]
            logits = logits + (output(states) if side == "before" else output(states).flip(1))
        return logits


networks = {"forward": Masked("before"), "backward": Masked("behind"), "both": Masked("before", "behind")}
optimizers = {name: torch.optim.Adam(network.parameters()) for name, network in networks.items()}
steps, losses = 480 // (int(LAYERS) + 1), {}
for update in range(UPDATES):
    name = [*networks][update % 3]
    if name == "forward":  # then the others learn from the same windows
        batch = ids[torch.randint(cut - LENGTH + 1, (ROWS, 1), generator=rng) + torch.arange(LENGTH)]
    logits = networks[name](batch).flatten(0, 1)
    losses[name] = nn.functional.cross_entropy(logits, batch[:, 1:-1].flatten(), ignore_index=0)
    optimizers[name].zero_grad()
    losses[name].backward()
    nn.utils.clip_grad_norm_(networks[name].parameters(), 1.0)
    optimizers[name].param_groups[0]["lr"] = 1e-2 * (1 - update // 3 / steps)
    optimizers[name].step()

# What fills the blank; <unk> is no answer.
parts = SENTENCE.split("_")
if UNIT == "words":
    before, behind = ([word for word in tokens_of(part, UNIT) if word] for part in parts)
else:
    before, behind = (list(part.lower()) for part in parts)
blank = torch.tensor([[index_of.get(token, 0) for token in ["", *before, "", *behind, ""]]])
windows = ids[cut:].unfold(0, LENGTH, LENGTH)[:40]
targets = windows[:, 1:-1]
torch.set_grad_enabled(False)
for name, loss in losses.items():
    shares = networks[name](blank)[0, len(before), 1:].softmax(dim=0)
    print(f"{name}_loss", loss.item())
    print(f"{name}_guess", vocabulary[int(shares.argmax()) + 1])
    print(f"{name}_probability", shares.max().item())
    if update == 3 * steps - 1:
        right = (networks[name](windows).argmax(dim=-1) == targets) & (targets != 0)
        print(f"{name}_accuracy", (right.sum() / (targets != 0).sum()).item())
print("forward_reads", len(before))
print("backward_reads", len(behind))
