import { createHook } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { PASSWORD_COST, PasswordHasher } from '../../../controller/accounts/users/passwords.ts';
import type { AppError } from '../../../shared/errors.ts';
import { systemClock } from '../../../shared/time.ts';

const cheap = { logN: 8, maxConcurrent: 2, maxWaiting: 3, maxWaitingOfAddress: 2 };
const A = '192.0.2.1';
const B = '192.0.2.2';

describe('a password', () => {
  test('matches its hash, at the real cost, and no other password does', async () => {
    const hasher = new PasswordHasher(systemClock);
    const hash = await hasher.hash('correct horse battery', A);
    expect(hash).toMatch(/^scrypt\$17\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await hasher.verify('correct horse battery', hash, A)).toBe(true);
    expect(await hasher.verify('correct horse batterz', hash, A)).toBe(false);
    expect(PASSWORD_COST.logN).toBe(17);
  });

  test('gets a different hash each time, and matches whatever the form of its accents', async () => {
    const hasher = new PasswordHasher(systemClock, cheap);
    expect(await hasher.hash('same', A)).not.toBe(await hasher.hash('same', A));
    expect(await hasher.verify('cafe\u0301', await hasher.hash('caf\u00e9', A), A)).toBe(true);
  });

  test('still matches a hash of an older cost', async () => {
    const hash = await new PasswordHasher(systemClock, { ...cheap, logN: 9 }).hash('old', A);
    expect(await new PasswordHasher(systemClock, cheap).verify('old', hash, A)).toBe(true);
  });

  test('of nobody is refused after the same work, so that the time does not reveal accounts', async () => {
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
    // The work has the hasher's own cost: one that scrypt does not allow fails.
    await expect(new PasswordHasher(systemClock, { ...cheap, logN: 0 }).verify('y', null, A)).rejects.toThrow(/scrypt/i);
  });

  test('of nobody is refused whatever it is', async () => {
    const hasher = new PasswordHasher(systemClock, cheap);
    for (const password of ['', 'x', 'undefined', 'null']) {
      expect(await hasher.verify(password, null, A)).toBe(false);
    }
  });

  test('waits for its turn, and is refused if too many wait, of one address or of all', async () => {
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
