"""Oryn as a tool of other libraries for agents: `langchain`, `openai_agents`, `anthropic` (docs/adapters.md).

Each module imports the library that it is named after, which Oryn does not install."""
