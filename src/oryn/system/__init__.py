"""The operating system: paths, locks between processes, encryption, optional dependencies, logging."""
