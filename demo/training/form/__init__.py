"""The form of a training: its cards, what they show for each choice, and their place in the address."""
