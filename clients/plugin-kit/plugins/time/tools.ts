/** Tools for the time. Instants are ISO 8601 with an offset, zones names of the IANA database (`Europe/Paris`). */

import { defineTool, ToolError } from "../../src/index.js";

const INSTANT = { type: "string", description: "ISO 8601 with an offset, such as 2026-03-29T01:30:00Z", maxLength: 40 };
const ZONE = { type: "string", description: "An IANA time zone, such as Europe/Paris; default UTC", maxLength: 64 };
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

function parseInstant(text: string): Date {
  const date = new Date(text);
  if (!WITH_OFFSET.test(text) || Number.isNaN(date.getTime())) {
    throw new ToolError("INVALID_ARGUMENTS", `an instant must be ISO 8601 with an offset: ${text}`);
  }
  return date;
}

/** The instant as clocks of a zone display it. */
function localTime(date: Date, timeZone: string): { iso: string; local: string; timeZone: string; weekday: string } {
  const format = (options: Intl.DateTimeFormatOptions) => {
    try {
      return new Intl.DateTimeFormat("en-GB", { timeZone, ...options }).formatToParts(date);
    } catch (error) {
      throw new ToolError("INVALID_ARGUMENTS", `there is no time zone ${timeZone}`, String(error));
    }
  };
  const parts = format({
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    weekday: "long",
    timeZoneName: "longOffset",
  });
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? "";
  const offset = part("timeZoneName").replace("GMT", "") || "+00:00";
  const day = `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
  const local = `${day}T${part("hour")}:${part("minute")}:${part("second")}${offset}`;
  return { iso: date.toISOString(), local, timeZone, weekday: part("weekday") };
}

export const tools = [
  defineTool<{ timeZone?: string }>({
    name: "now",
    title: "Current time",
    description: "Returns the current time, in UTC and as clocks of a time zone display it.",
    inputSchema: { type: "object", properties: { timeZone: ZONE }, additionalProperties: false },
    uiHints: { category: "time", speed: "instant" },
    run: ({ timeZone = "UTC" }) => localTime(new Date(), timeZone),
  }),
  defineTool<{ instant: string; timeZone?: string }>({
    name: "convert",
    title: "Convert to a time zone",
    description: "Returns an instant as clocks of a time zone display it.",
    inputSchema: {
      type: "object",
      properties: { instant: INSTANT, timeZone: ZONE },
      required: ["instant"],
      additionalProperties: false,
    },
    uiHints: { category: "time", speed: "instant" },
    run: ({ instant, timeZone = "UTC" }) => localTime(parseInstant(instant), timeZone),
  }),
  defineTool<{ from: string; to: string }>({
    name: "difference",
    title: "Time between two instants",
    description: "Returns the seconds from one instant to another, negative if the second is earlier, and as days to seconds.",
    inputSchema: {
      type: "object",
      properties: { from: INSTANT, to: INSTANT },
      required: ["from", "to"],
      additionalProperties: false,
    },
    uiHints: { category: "time", speed: "instant" },
    run: ({ from, to }) => {
      const seconds = (parseInstant(to).getTime() - parseInstant(from).getTime()) / 1000;
      const size = Math.abs(seconds);
      const parts = { days: Math.floor(size / 86400), hours: Math.floor(size / 3600) % 24 };
      return { seconds, ...parts, minutes: Math.floor(size / 60) % 60, remainder: size % 60 };
    },
  }),
];
