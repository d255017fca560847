/** Tools that decode and encode: Base64 (RFC 4648), URLs (RFC 3986), JSON Web Tokens (RFC 7519), hashes (FIPS 180-4). */

import { defineTool, ToolError } from "../../src/index.js";

const MAX_CHARACTERS = 500_000;
const TEXT = { type: "string", maxLength: MAX_CHARACTERS };
const onlyText = { type: "object", properties: { text: TEXT }, required: ["text"], additionalProperties: false };
const uiHints = { category: "decode", speed: "instant" } as const;

function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Both alphabets, with or without padding. */
function decodeBase64(text: string): Uint8Array {
  const standard = text.replace(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/");
  try {
    return Uint8Array.from(atob(standard), (character) => character.charCodeAt(0));
  } catch {
    throw new ToolError("INVALID_ARGUMENTS", "the text is not Base64");
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ToolError("EXECUTION_FAILED", "the bytes are not UTF-8");
  }
}

function parsePart(part: string, name: string): unknown {
  try {
    return JSON.parse(decodeUtf8(decodeBase64(part)));
  } catch {
    throw new ToolError("INVALID_ARGUMENTS", `the ${name} of the token is not JSON in Base64`);
  }
}

export const tools = [
  defineTool<{ text: string; urlSafe?: boolean }>({
    name: "base64_encode",
    title: "Encode as Base64",
    description: "Returns a text's UTF-8 bytes as Base64; urlSafe: with - and _, without padding.",
    inputSchema: {
      type: "object",
      properties: { text: TEXT, urlSafe: { type: "boolean", default: false } },
      required: ["text"],
      additionalProperties: false,
    },
    uiHints,
    run: ({ text, urlSafe = false }) => {
      const encoded = encodeBase64(new TextEncoder().encode(text));
      return urlSafe ? encoded.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") : encoded;
    },
  }),
  defineTool<{ text: string }>({
    name: "base64_decode",
    title: "Decode Base64",
    description: "Returns the UTF-8 text in Base64 of either alphabet.",
    inputSchema: onlyText,
    uiHints,
    run: ({ text }) => decodeUtf8(decodeBase64(text)),
  }),
  defineTool<{ text: string }>({
    name: "url_encode",
    title: "Encode for a URL",
    description: "Returns a text percent-encoded as a component of a URL.",
    inputSchema: onlyText,
    uiHints,
    run: ({ text }) => encodeURIComponent(text),
  }),
  defineTool<{ text: string }>({
    name: "url_decode",
    title: "Decode percent-encoding",
    description: "Returns a percent-encoded text, decoded. A + stays a +.",
    inputSchema: onlyText,
    uiHints,
    run: ({ text }) => {
      try {
        return decodeURIComponent(text);
      } catch {
        throw new ToolError("INVALID_ARGUMENTS", "the percent-encoding is not valid");
      }
    },
  }),
  defineTool<{ token: string }>({
    name: "jwt_decode",
    title: "Decode a JSON Web Token",
    description: "Returns header and payload of a token. The signature is not verified: believe nothing of it.",
    inputSchema: {
      type: "object",
      properties: { token: TEXT },
      required: ["token"],
      additionalProperties: false,
    },
    uiHints,
    run: ({ token }) => {
      const [header, payload, signature, ...more] = token.trim().split(".");
      if (header === undefined || payload === undefined || signature === undefined || more.length > 0) {
        throw new ToolError("INVALID_ARGUMENTS", "a token has three parts with dots between them");
      }
      return {
        header: parsePart(header, "header"),
        payload: parsePart(payload, "payload"),
        isSigned: signature !== "",
        isVerified: false,
      };
    },
  }),
  defineTool<{ text: string; algorithm?: string }>({
    name: "hash",
    title: "Hash a text",
    description: "Returns the hash of a text's UTF-8 bytes in hexadecimal.",
    inputSchema: {
      type: "object",
      properties: { text: TEXT, algorithm: { enum: ["SHA-1", "SHA-256", "SHA-384", "SHA-512"], default: "SHA-256" } },
      required: ["text"],
      additionalProperties: false,
    },
    uiHints,
    run: async ({ text, algorithm = "SHA-256" }) => {
      const digest = await crypto.subtle.digest(algorithm, new TextEncoder().encode(text));
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    },
  }),
];
