"""Oryn as a server of the Model Context Protocol (https://modelcontextprotocol.io), on the official SDK (extra `mcp`).

`server` is the adapter: the tools of `oryn.tools` for a host of sessions (`host.McpHost`). `stdio` and `http` are its
two transports; `clients` has the connected clients and their sessions. Both eras of the protocol are served: the
handshake with its sessions (until 2025-11-25), and stateless requests (from 2026-07-28)."""

CLIENT_ID = "mcp-session-id"
"""The header with the id of a client of the older era. Here, as it needs no SDK."""
