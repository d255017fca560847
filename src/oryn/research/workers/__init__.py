"""Where fetching, extraction and embedding run: in this process, in processes of its own, or on a Ray cluster."""
