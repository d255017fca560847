"""What the tabs of every backend have in common, whatever protocol tells about them: how long to wait for what, which
navigation became what, what an action has started. Standard library only: it also runs in the browser extension.

A backend's own classes turn what its browser says into the terms of these.
"""
