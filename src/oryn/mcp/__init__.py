"""Oryn as a server of the Model Context Protocol (https://modelcontextprotocol.io), on the official SDK (extra
`mcp`).

`server` is the adapter: the tools of the table (`oryn.tools`) for whoever has sessions (`host.Host`). `stdio` and
`http` are its two transports; `clients` knows who is there and which session is whose. Both eras of the protocol are
served: the handshake with its sessions (until 2025-11-25), and requests that stand alone (from 2026-07-28)."""
