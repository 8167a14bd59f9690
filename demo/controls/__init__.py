"""Groups of widgets that tabs share. Values are checked by the request: the API reaches past any widget."""
