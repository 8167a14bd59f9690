"""The search over outputs: a loop that every strategy shares, and the rules of its steps.

Shape letters of `models/decoding`: B sentences that a step searches, C candidates of a sentence, G groups of
rows, K rows of a sentence, M tokens of the longest required phrase, N a size that is explained where it
stands, P recorded candidates of a step, Q required phrases, W tokens of all required phrases. The other
letters are those of `models/networks/base.py`.
"""
