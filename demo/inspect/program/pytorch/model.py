@cache
def log_probs(*prefix):
    """The log-probabilities of all tokens after a prefix; -inf forbids one."""
    row = network([START, *prefix])
    row[PADDING] = -math.inf
    # CONSTRAINTS
    return row


def next_tokens(prefix):
    """The tokens that may follow a prefix, best first, with their log-probabilities."""
    values, ids = log_probs(*prefix).sort(descending=True, stable=True)
    pairs = zip(ids.tolist(), values.tolist(), strict=True)
    return [(token, value) for token, value in pairs if value > -math.inf]


model = SimpleNamespace(end=END, next=next_tokens)


def show(outputs):
    for number, output in outputs:
        print(f"{number:.6f}\t{' '.join(tokens[token] for token in output)}")
