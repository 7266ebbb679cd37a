"""One prompt without a screen: text, one JSON object, or JSON lines.

It translates events into output and people's signals into ops; it never runs tools and
never calls a model.
"""
