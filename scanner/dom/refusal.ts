import type { ErrorCode } from './protocol';
import { originOf } from './windows';

/** A command's failure: it becomes `{ok: false, code, error, data}`. */
export class Refusal extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly data?: Record<string, unknown>,
  ) {
    super(message);
  }
}

/** A parameter counts when it is there and not null. */
export const isPresent = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

export function wholeNumber(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new Refusal('INVALID_REQUEST', `${name} must be an integer`);
  return value;
}

/**
 * A request may be for documents of one origin alone, whatever has come into the frame since it was sent. Only isolated
 * worlds get such requests: a page may replace the `origin` of its own world, and `location` knows neither of a sandbox
 * nor of the document that an `about:srcdoc` belongs to.
 */
export function checkOrigin({ origin }: { origin?: string | null }, view: Window & typeof globalThis): void {
  if (isPresent(origin) && originOf(view) !== origin)
    throw new Refusal('ORIGIN_CHANGED', `the document is not of ${origin}: nothing was done`);
}
