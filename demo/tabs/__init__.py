"""One folder for each tab. Tabs do not import each other.

Gradio passes the request, the event or the signed-in token to a handler that has an argument with such an
annotation. So a handler that needs one is a nested function, which calls the bound one.
"""
