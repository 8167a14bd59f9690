"""What a run saves: its folders, its checkpoint with a card, and its state to go on from."""
