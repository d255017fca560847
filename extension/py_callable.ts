/** A function of Python's, which Pyodide destroys after the call that it was an argument of. */
export type PyCallable<F> = F & { copy?: () => F };

/** A copy that stays. */
export const ownCopy = <F>(callable: PyCallable<F>): F => callable.copy?.() ?? callable;
