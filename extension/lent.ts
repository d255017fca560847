/** A function of Python's, which Pyodide lends for the time of a call. */
export type Lent<F> = F & { copy?: () => F };

/** One that stays. */
export const owned = <F>(lent: Lent<F>): F => lent.copy?.() ?? lent;
