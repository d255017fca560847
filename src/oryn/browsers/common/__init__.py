"""Shared parts of the backends' tabs, independent of protocols: waiting, navigations, and the effects of an action.

Standard library only: it also runs in the browser extension. The backends' classes translate events of their browsers
into the terms used here."""
