/** Promises with a limit in time. */

/** What `promise` gives, or the error that `late` makes once `seconds` are over. */
export async function within<T>(seconds: number, promise: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), seconds * 1000);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until `promise` is settled, for so many seconds at most. */
export async function settledWithin(seconds: number, promise: Promise<unknown>): Promise<void> {
  await within(seconds, promise, () => new Error()).catch(() => undefined);
}
