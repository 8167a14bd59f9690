"""One folder for each tab. Tabs do not import each other."""
