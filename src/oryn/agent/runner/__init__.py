"""`oryn agent`: a chat model drives a browser until its goal is reached (docs/agent.md)."""
