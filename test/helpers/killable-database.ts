import type { Db } from 'mongodb';

/** Thrown where a process would die. */
export class Killed extends Error {}

/** Dying at one of these equals dying after the write before it. */
const READS = new Set<string | symbol>(['findOne', 'countDocuments']);

/**
 * A database whose user is killed at write `at` (from 0), either before it is sent or after it took effect without a
 * response.
 */
export function killableDatabase(db: Db, at: number, isSent: boolean): Db {
  let writes = 0;
  let isDead = false;
  const die = (): never => {
    isDead = true;
    throw new Killed();
  };
  const read = async <T>(send: () => Promise<T>): Promise<T> => (isDead ? die() : send());
  const write = async <T>(send: () => Promise<T>): Promise<T> => {
    const number = writes++;
    if (isDead || number > at || (number === at && !isSent)) return die();
    const result = await send();
    return number === at ? die() : result;
  };
  const cursor = (found: object): object =>
    new Proxy(found, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        if (name === 'toArray') return () => read(() => member.call(target) as Promise<unknown>);
        return (...args: unknown[]) => cursor(member.apply(target, args) as object);
      },
    });
  const collection = (real: object): object =>
    new Proxy(real, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        if (name === 'find') return (...args: unknown[]) => cursor(member.apply(target, args) as object);
        const send = READS.has(name) ? read : write;
        return (...args: unknown[]) => send(() => member.apply(target, args) as Promise<unknown>);
      },
    });
  return new Proxy(db, { get: (target, name) => (name === 'collection'
    ? (of: string) => collection(target.collection(of))
    : Reflect.get(target, name)) });
}
