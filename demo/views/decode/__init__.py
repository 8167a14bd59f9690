"""Views of the Decode tab around its result: source, strategy, checkpoint, results."""
