"""The server that the browser extension connects to, and the wire protocol of both (docs/remote-protocol.md)."""
