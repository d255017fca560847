"""Child processes of browsers, whatever drives them: run folders, the end of a process, and the removal of what owners
that have died left behind.

Nothing here but `browser_process` needs an event loop, which takes longer to import than a browser takes to start."""
