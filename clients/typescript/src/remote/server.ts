/** A WebSocket server on loopback that extensions connect to; each connection is a `Peer`. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { WebSocketServer, type VerifyClientCallbackAsync, type WebSocket } from "ws";

import { ConfigurationError } from "../errors.js";
import type { Credentials } from "./credentials.js";
import { ANSWER_LIMIT } from "./messages.js";
import { isExtension, isLoopback } from "./origins.js";
import { CLOSED, Peer, type Home } from "./peer.js";

const HOST = "127.0.0.1";
/** Milliseconds after which a connection is looked at; it has gone if it was silent since the last time. */
const HEARTBEAT = 20_000;
/** Milliseconds that the other end of a connection has to let it go. */
const GOODBYE = 2_000;
/** Connections at once. Those that have not said who they are count too. */
const MAX_CONNECTIONS = 16;

export interface ExtensionServer {
  /** End every connection, and listen no more. */
  close(): Promise<void>;
}

/** Serve until `close`. @throws ConfigurationError where the port is another's */
export async function listen(port: number, credentials: Credentials, home: Home): Promise<ExtensionServer> {
  const server = createServer((_, response) => response.writeHead(426, { Connection: "close" }).end());
  const sockets = new WebSocketServer({ server, maxPayload: ANSWER_LIMIT, verifyClient });
  await new Promise<void>((resolve, reject) => {
    sockets.once("listening", resolve).once("error", (error) => {
      const message = `can't listen on ${HOST}:${port}: ${error.message}`;
      reject(new ConfigurationError(message, "Choose another port, and tell the extension."));
    });
    server.listen(port, HOST);
  });
  credentials.port = (server.address() as AddressInfo).port;
  sockets.on("connection", (socket) => converse(socket, sockets.clients.size, credentials, home));
  return { close: () => ended(server, sockets) };
}

/** Refuses pages of other origins, and names that somebody has pointed at this computer. */
const verifyClient: VerifyClientCallbackAsync = ({ req }, decide) => {
  if (!isLoopback(req.headers.host)) decide(false, 421, "this server is localhost");
  else if (!isExtension(req.headers.origin)) decide(false, 403, "no page may connect");
  else decide(true);
};

/** From the first message to the last. */
function converse(socket: WebSocket, connections: number, credentials: Credentials, home: Home): void {
  // What goes wrong with a connection ends it, and its end is told.
  socket.on("error", () => undefined);
  if (connections > MAX_CONNECTIONS) return socket.close(1013, "too many connections");
  const wire = {
    send: (frame: string): void => socket.send(frame, () => undefined),
    close: (code: number, reason: string): void => socket.close(code, reason),
  };
  const peer = new Peer(wire, credentials, home);
  const heartbeat = watched(socket);
  socket.on("message", (data, isBinary) => {
    if (!isBinary) peer.receive(data.toString());
  });
  socket.once("close", () => {
    clearInterval(heartbeat);
    peer.lost();
  });
}

function watched(socket: WebSocket): NodeJS.Timeout {
  let isAlive = true;
  socket.on("pong", () => (isAlive = true));
  return setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, HEARTBEAT);
}

async function ended(server: Server, sockets: WebSocketServer): Promise<void> {
  const closed = once(server, "close");
  server.close();
  // Browsers open connections that they may never use.
  server.closeAllConnections();
  for (const socket of sockets.clients) {
    socket.close(CLOSED.leaving);
    const late = setTimeout(() => socket.terminate(), GOODBYE);
    socket.once("close", () => clearTimeout(late));
  }
  await closed;
}
