import type { Db } from 'mongodb';

const WRITES = ['insertOne', 'updateOne', 'findOneAndUpdate', 'bulkWrite'];

/** A database with a concurrent writer: `meanwhile` runs once, right before the first write to the collection. */
export function withConcurrentWrite(db: Db, collection: string, meanwhile: () => Promise<unknown>): Db {
  let hasRun = false;
  const intercepted = (real: object): object =>
    new Proxy(real, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as (...args: unknown[]) => unknown;
        if (!WRITES.includes(String(name))) return member.bind(target);
        return async (...args: unknown[]) => {
          if (!hasRun) {
            hasRun = true;
            await meanwhile();
          }
          return member.apply(target, args);
        };
      },
    });
  return new Proxy(db, {
    get: (target, name) => (name !== 'collection'
      ? Reflect.get(target, name)
      : (of: string) => (of === collection ? intercepted(target.collection(of)) : target.collection(of))),
  });
}
