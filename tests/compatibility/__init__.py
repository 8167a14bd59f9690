"""Files that people saved with an earlier version, and tests that they still work.

All files here except the Python files are frozen. Earlier versions wrote them. Never edit or regenerate an
entry: a test that fails here means that somebody's download, bookmark, script or trained run no longer works.

Additions may change three things. Lists of names in a sentence, recipes and the methods of an attribution may
gain names; endpoints may gain arguments with a default after the existing ones; there may be more strategies,
checkpoints, tabs, parts and labs.

An addition needs no entry here. The tests also run strategies for which nothing is on record. To freeze the
present behaviour of an addition, append an entry to `api.json`, `links.json` or `requests.json`. A release
appends its new settings to `POSITIONS` in `demo/api/arguments.py`.
"""
