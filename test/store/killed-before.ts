import type { Db } from 'mongodb';

/** The database as a process sees it that is killed before its write with this number, from 1. */
export function killedBefore(db: Db, write: number) {
  let writes = 0;
  const isDead = () => writes >= write;
  const collection = (name: string): object => new Proxy(db.collection(name), {
    get: (target, method) => {
      const member = Reflect.get(target, method) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        if (/^(insert|update|delete|bulk|findOneAnd)/.test(String(method))) writes += 1;
        if (isDead()) throw new Error('killed');
        return member.apply(target, args);
      };
    },
  });
  return { isDead, db: { collection } as unknown as Db };
}
