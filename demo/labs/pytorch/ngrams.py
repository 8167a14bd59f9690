"""An n-gram model with Laplace smoothing."""

from models.labs.ngrams import NGrams, facts_of, sentences

TEXT = (
    "The cat sat on the mat. The dog sat on the rug. The cat saw the dog. "
    "The dog saw a bird on the mat. A bird sat on the cat."
)
SENTENCE = "The bird sat on the rug"
ORDER = "2"  # n: "1", "2", "3" or "4"
ALPHA = 1  # added to each count
DIRECTION = "forward"  # or "backward"

texts = sentences(TEXT)
model = NGrams(texts, int(ORDER), ALPHA, backward=DIRECTION == "backward")
tested = [word for words in sentences(SENTENCE) for word in words]
for name, value in facts_of(model, texts, tested).items():
    print(name, value)
