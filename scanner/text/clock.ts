// Texts that show a time, and change without saying anything. Pure.

const CLOCK = /\b(\d{1,2}):(\d\d):(\d\d)\b/g;
const DAY = 24 * 3600;
const CLOCK_TOLERANCE = 2; // seconds
const ZONE = 900; // seconds: times of day of all time zones differ by multiples of it

/** A text with a sign for each time in it. */
export const withoutTimes = (text: string): string => text.replace(CLOCK, '#');

/** Whether two texts differ by nothing but times, which went on for at most about `elapsed` seconds. */
export function isClockTick(before: string, now: string, elapsed: number): boolean {
  if (withoutTimes(before) !== withoutTimes(now)) return false;
  const [was, is] = [timesIn(before), timesIn(now)];
  return was.length > 0 && was.every((time, at) => ((is[at] ?? NaN) - time + DAY) % DAY <= elapsed + CLOCK_TOLERANCE);
}

/** The times in a text, in seconds. */
const timesIn = (text: string): number[] =>
  [...text.matchAll(CLOCK)].map(
    ([, hours, minutes, seconds]) => Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds),
  );

/** Whether the times in a text are the time of day, in whatever zone, at a moment (milliseconds since 1970). */
export const isTimeOfDay = (text: string, moment: number): boolean =>
  timesIn(text).every((time) => {
    const apart = (((moment / 1000 - time) % ZONE) + ZONE) % ZONE;
    return Math.min(apart, ZONE - apart) <= CLOCK_TOLERANCE;
  });
