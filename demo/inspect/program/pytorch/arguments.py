def min_length(row, prefix):
    if len(prefix) < MIN_LENGTH:
        row[END] = -math.inf


def no_repeat_ngram_size(row, prefix):
    earlier = len(prefix) + 1 - NO_REPEAT_NGRAM_SIZE
    for begin in range(earlier):
        *ngram, last = prefix[begin : begin + NO_REPEAT_NGRAM_SIZE]
        if tuple(ngram) == prefix[earlier:]:
            row[last] = -math.inf


def score(total, length):
    """The log-probability of an output, divided by a power of its length."""
    base = {"power": length, "gnmt": (5 + length) / 6, "none": 1}[NORMALIZER]
    return total / base**LENGTH_PENALTY


def attainable(total, length):
    """The score that an unfinished output may still get, by the rule of early stopping."""
    if EARLY_STOPPING == "true":
        return -math.inf
    grows = EARLY_STOPPING == "never" and LENGTH_PENALTY > 0
    return score(total, MAX_LENGTH if grows else length)


generator = torch.Generator().manual_seed(SEED)


@cache
def phi(*prefix):
    """The log-probabilities of a prefix with each next token, at the temperature."""
    before = phi(*prefix[:-1])[prefix[-1]] if prefix else 0
    return before + (log_probs(*prefix).double() / TEMPERATURE).log_softmax(dim=0)


def gumbel(*shape):
    return -torch.empty(shape, dtype=torch.float64).exponential_(generator=generator).log()


def perturb(model, beam):
    """Each prefix with each next token, by noise whose maximum is the noise of the prefix (appendix B.3)."""
    is_first = beam[0][1] == []
    top = gumbel(1, 1) if is_first else torch.tensor([[noisy] for noisy, _ in beam], dtype=torch.float64)
    rows = torch.stack([phi(*prefix) for _, prefix in beam])
    free = rows + gumbel(1 if is_first else BEAM_SIZE, rows.shape[1])[: len(beam)]
    gap = top - free + (-(free - free.amax(dim=1, keepdim=True)).exp()).log1p()
    noisy = top - gap.relu() - (-gap.abs()).exp().log1p()
    possible = (noisy > -math.inf).nonzero().tolist()
    return [(float(noisy[row, token]), [*beam[row][1], token]) for row, token in possible]


def chances(model, prefix):
    """The probabilities of a draw, with the length and the log-probabilities of the model."""
    row = log_probs(*prefix) / TEMPERATURE
    values, ids = row.sort(descending=True, stable=True)
    row[row < values[min(TOP_K, len(row)) - 1]] = -math.inf  # 0 keeps all: values[-1] is the lowest
    if TOP_P < 1:  # a token stays if those before it have not reached the sum
        probs = row[ids].double().softmax(dim=0)
        row[ids[probs.cumsum(dim=0) - probs >= TOP_P - 1e-6]] = -math.inf
    probs = row.softmax(dim=0)
    row[probs < (MIN_P - 1e-6) * probs.max()] = -math.inf
    return len(prefix), row.softmax(dim=0), log_probs(*prefix)


@cache
def uniform(length):
    """The random numbers of a step, one for each sample."""
    return iter(torch.rand(NUM_SAMPLES, generator=generator).tolist())


def draw(choices):
    """A draw by inversion: a random number cuts the sums of the probabilities."""
    length, probs, log_probs = choices
    sums = probs.cumsum(dim=0)
    token = int(torch.searchsorted(sums[:-1], next(uniform(length)) * sums[-1:], right=True))
    return token, float(log_probs[token])


def sample(model, num_samples):
    return sampling(model, MAX_LENGTH, num_samples, chances, draw)


measure = CHRF() if MEASURE == "chrf" else BLEU(tokenize=LANGUAGE or None, effective_order=True)
words = Tokenizer.from_str(json.dumps(tokenizer))


def utility(hypothesis, reference):
    """The likeness of two outputs as texts, 0 to 100."""
    pair = ([token for token in ids if token not in {START, END}] for ids in (hypothesis, reference))
    text, other = map(words.decode, pair)
    return measure.sentence_score(text, [other]).score


bound, output = -math.inf, []  # no output is known yet
