import { createHook } from 'node:async_hooks';
import { describe, expect, test } from 'vitest';
import { PASSWORD_COST, PasswordHasher } from '../../../controller/accounts/users/passwords.ts';
import type { AppError } from '../../../shared/errors.ts';

const cheap = { logN: 8, maxConcurrent: 2, maxWaiting: 3 };

describe('a password', () => {
  test('matches its hash, at the real cost, and no other password does', async () => {
    const hasher = new PasswordHasher();
    const hash = await hasher.hash('correct horse battery');
    expect(hash).toMatch(/^scrypt\$17\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await hasher.verify('correct horse battery', hash)).toBe(true);
    expect(await hasher.verify('correct horse batterz', hash)).toBe(false);
    expect(PASSWORD_COST.logN).toBe(17);
  });

  test('gets a different hash each time, and matches whatever the form of its accents', async () => {
    const hasher = new PasswordHasher(cheap);
    expect(await hasher.hash('same')).not.toBe(await hasher.hash('same'));
    expect(await hasher.verify('cafe\u0301', await hasher.hash('caf\u00e9'))).toBe(true);
  });

  test('still matches a hash of an older cost', async () => {
    const hash = await new PasswordHasher({ ...cheap, logN: 9 }).hash('old');
    expect(await new PasswordHasher(cheap).verify('old', hash)).toBe(true);
  });

  test('of nobody is refused after the same work, so that the time does not reveal accounts', async () => {
    const hasher = new PasswordHasher(cheap);
    const hash = await hasher.hash('x');
    let jobs = 0;
    const watch =
      createHook({ init: (_id, type) => void (jobs += type === 'SCRYPTREQUEST' ? 1 : 0) }).enable();
    expect(await hasher.verify('y', hash)).toBe(false);
    expect(jobs).toBe(1);
    expect(await hasher.verify('y', null)).toBe(false);
    expect(jobs).toBe(2);
    watch.disable();
    // The work has the hasher's own cost: one that scrypt does not allow fails.
    await expect(new PasswordHasher({ ...cheap, logN: 0 }).verify('y', null)).rejects.toThrow(/scrypt/i);
  });

  test('of nobody is refused whatever it is', async () => {
    const hasher = new PasswordHasher(cheap);
    for (const password of ['', 'x', 'undefined', 'null']) {
      expect(await hasher.verify(password, null)).toBe(false);
    }
  });

  test('waits for its turn, and is refused if too many wait', async () => {
    const hasher = new PasswordHasher(cheap);
    const outcomes = await Promise.allSettled(Array.from({ length: 7 }, () => hasher.hash('x')));
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(5);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect((outcome.reason as AppError).code).toBe('SERVICE_UNAVAILABLE');
      }
    }
    expect(await hasher.verify('x', await hasher.hash('x'))).toBe(true);
  });
});
