import { createHook } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { PASSWORD_COST, PasswordHasher } from '../../../controller/accounts/users/passwords.ts';
import type { AppError } from '../../../controller/errors/app-error.ts';
import { systemClock } from '../../../shared/time.ts';

const cheap = { logN: 8, parallel: 1, maxConcurrent: 2, maxWaiting: 3, maxWaitingOfAddress: 2 };
const A = '192.0.2.1';
const B = '192.0.2.2';

describe('the password hasher', () => {
  test('verifies only the hashed password, at the production cost', async () => {
    const hasher = new PasswordHasher(systemClock);
    const hash = await hasher.hash('correct horse battery', A);
    expect(hash).toMatch(/^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
    expect(await hasher.verify('correct horse battery', hash, A)).toBe(true);
    expect(await hasher.verify('correct horse batterz', hash, A)).toBe(false);
    expect(PASSWORD_COST).toMatchObject({ logN: 15, parallel: 3 });
  });

  test('salts each hash and normalizes Unicode', async () => {
    const hasher = new PasswordHasher(systemClock, cheap);
    expect(await hasher.hash('same', A)).not.toBe(await hasher.hash('same', A));
    expect(await hasher.verify('cafe\u0301', await hasher.hash('caf\u00e9', A), A)).toBe(true);
  });

  test('verifies a hash with a different cost', async () => {
    const hash = await new PasswordHasher(systemClock, { ...cheap, logN: 9 }).hash('old', A);
    expect(await new PasswordHasher(systemClock, cheap).verify('old', hash, A)).toBe(true);
  });

  test('does the same work for an unknown account, so that timing does not reveal accounts', async () => {
    const hasher = new PasswordHasher(systemClock, cheap);
    const hash = await hasher.hash('x', A);
    let jobs = 0;
    const watch =
      createHook({ init: (_id, type) => void (jobs += type === 'SCRYPTREQUEST' ? 1 : 0) }).enable();
    expect(await hasher.verify('y', hash, A)).toBe(false);
    expect(jobs).toBe(1);
    expect(await hasher.verify('y', null, A)).toBe(false);
    expect(jobs).toBe(2);
    watch.disable();
    // It uses the hasher's own cost: a cost that scrypt rejects makes it fail.
    await expect(new PasswordHasher(systemClock, { ...cheap, logN: 0 }).verify('y', null, A)).rejects.toThrow(/scrypt/i);
  });

  test('rejects every password for an unknown account', async () => {
    const hasher = new PasswordHasher(systemClock, cheap);
    for (const password of ['', 'x', 'undefined', 'null']) {
      expect(await hasher.verify(password, null, A)).toBe(false);
    }
  });

  test('queues work, and refuses it if too much waits for one address or in total', async () => {
    const hasher = new PasswordHasher(systemClock, cheap);
    const ofOne = Array.from({ length: 6 }, () => hasher.hash('x', A));
    const ofOther = Array.from({ length: 2 }, () => hasher.hash('x', B));
    const codesOf = async (work: Promise<string>[]) => (await Promise.allSettled(work)).map((outcome) => (
      outcome.status === 'rejected' ? (outcome.reason as AppError).code : 'done'
    ));
    const [one, other] = await Promise.all([codesOf(ofOne), codesOf(ofOther)]);
    // Two run and two wait.
    expect(one).toEqual(['done', 'done', 'done', 'done', 'RATE_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED']);
    expect(other).toEqual(['done', 'SERVICE_UNAVAILABLE']);
    expect(hasher.refused).toBe(3);
    expect(await hasher.verify('x', await hasher.hash('x', A), A)).toBe(true);
  });
});
