// Methods and accessors as functions of their objects, as they are when a script starts: a page that replaces them later,
// or that names an element after a property, changes nothing. The extension's scripts use this module too.

type Method = (...values: never[]) => unknown;
type Call<F> = F extends Method ? Parameters<F> : never;
type Result<F> = F extends Method ? ReturnType<F> : never;

/* eslint-disable @typescript-eslint/unbound-method -- methods without their objects are what this file is about */

const call = Function.prototype.call;

/** A function whose first parameter is the object that it is a method of. */
export function unbound<F>(own: unknown): F {
  // `bind` of `call` has no type that says what it makes.
  return call.bind(own as (this: unknown) => unknown) as F;
}

/** A method as a function of its object. */
export const method = <T extends object, K extends keyof T>(prototype: T, name: K) =>
  unbound<(target: T, ...values: Call<T[K]>) => Result<T[K]>>(prototype[name]);

/** A function that reads a property of an object. */
export const getter = <T extends object, K extends keyof T>(prototype: T, name: K) =>
  unbound<(target: T) => T[K]>(Object.getOwnPropertyDescriptor(prototype, name)?.get);

/** A function that sets a property of an object. */
export const setter = <T extends object, K extends keyof T>(prototype: T, name: K) =>
  unbound<(target: T, value: T[K]) => void>(Object.getOwnPropertyDescriptor(prototype, name)?.set);
