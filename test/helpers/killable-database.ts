import type { Db } from 'mongodb';

/** Thrown where a process would die. */
export class Killed extends Error {}

/**
 * A database whose user is killed at command `at` (from 0), either before it is sent or after it took effect without a
 * response.
 */
export function killableDatabase(db: Db, at: number, isSent: boolean): Db {
  let command = 0;
  const sendOrDie = async <T>(send: () => Promise<T>): Promise<T> => {
    const number = command++;
    if (number > at || (number === at && !isSent)) throw new Killed();
    const result = await send();
    if (number === at) throw new Killed();
    return result;
  };
  const cursor = (found: object): object =>
    new Proxy(found, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        if (name === 'toArray') return () => sendOrDie(() => member.call(target) as Promise<unknown>);
        return (...args: unknown[]) => cursor(member.apply(target, args) as object);
      },
    });
  const collection = (real: object): object =>
    new Proxy(real, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        if (name === 'find') return (...args: unknown[]) => cursor(member.apply(target, args) as object);
        return (...args: unknown[]) => sendOrDie(() => member.apply(target, args) as Promise<unknown>);
      },
    });
  return new Proxy(db, { get: (target, name) => (name === 'collection'
    ? (of: string) => collection(target.collection(of))
    : Reflect.get(target, name)) });
}
