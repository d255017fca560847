/** A WebSocket server on loopback that extensions connect to; each connection is a `Peer`. */

import { WebSocketServer, type VerifyClientCallbackAsync, type WebSocket } from "ws";

import { ConfigurationError } from "../errors.js";
import type { Credentials } from "./credentials.js";
import { ANSWER_LIMIT } from "./messages.js";
import { isExtension, isLoopback } from "./origins.js";
import { CLOSED, Peer, type Home } from "./peer.js";

const HOST = "127.0.0.1";
/** Milliseconds after which a connection is looked at; it has gone if it was silent since the last time. */
const HEARTBEAT = 20_000;
/** Connections at once. Those that have not said who they are count too. */
const MOST_CONNECTIONS = 16;

export interface Listening {
  /** End every connection, and listen no more. */
  close(): Promise<void>;
}

/** Serve until `close`. @throws ConfigurationError where the port is another's */
export async function listen(port: number, credentials: Credentials, home: Home): Promise<Listening> {
  const server = new WebSocketServer({ host: HOST, port, maxPayload: ANSWER_LIMIT, verifyClient });
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve).once("error", (error) => {
      const message = `can't listen on ${HOST}:${port}: ${error.message}`;
      reject(new ConfigurationError(message, "Choose another port, and tell the extension."));
    });
  });
  server.on("connection", (socket) => converse(socket, server.clients.size, credentials, home));
  return { close: () => ended(server) };
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
  if (connections > MOST_CONNECTIONS) return socket.close(1013, "too many connections");
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

async function ended(server: WebSocketServer): Promise<void> {
  for (const socket of server.clients) {
    socket.close(CLOSED.leaving);
    // Who does not answer is not waited for.
    setTimeout(() => socket.terminate(), 1_000).unref();
  }
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
