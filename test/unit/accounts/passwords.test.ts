import { describe, expect, test } from 'vitest';
import { PASSWORD_COST, PasswordHasher } from '../../../controller/accounts/passwords.ts';
import type { AppError } from '../../../shared/errors.ts';

const cheap = { logN: 8, maxConcurrent: 2, maxWaiting: 3 };

describe('a password', () => {
  test('is known again by its hash at the real cost, and by no other', async () => {
    const hasher = new PasswordHasher();
    const hash = await hasher.hash('correct horse battery');
    expect(hash).toMatch(/^scrypt\$17\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await hasher.verify('correct horse battery', hash)).toBe(true);
    expect(await hasher.verify('correct horse batterz', hash)).toBe(false);
    expect(PASSWORD_COST.logN).toBe(17);
  });

  test('has another hash each time, and one whatever the form of its accents', async () => {
    const hasher = new PasswordHasher(cheap);
    expect(await hasher.hash('same')).not.toBe(await hasher.hash('same'));
    expect(await hasher.verify('cafe\u0301', await hasher.hash('caf\u00e9'))).toBe(true);
  });

  test('hashed at an older cost is still known', async () => {
    const hash = await new PasswordHasher({ ...cheap, logN: 9 }).hash('old');
    expect(await new PasswordHasher(cheap).verify('old', hash)).toBe(true);
  });

  test('of nobody is wrong, after as long a time', async () => {
    const hasher = new PasswordHasher({ logN: 14, maxConcurrent: 1, maxWaiting: 10 });
    const hash = await hasher.hash('x');
    const timed = async (given: string | null) => {
      const startedAt = performance.now();
      expect(await hasher.verify('y', given)).toBe(false);
      return performance.now() - startedAt;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      known.push(await timed(hash));
      unknown.push(await timed(null));
    }
    // Without the work it would be a thousandth; a busy machine moves it by far less.
    expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 4);
  });

  test('of nobody is wrong for every password', async () => {
    const hasher = new PasswordHasher(cheap);
    for (const password of ['', 'x', 'undefined', 'null']) expect(await hasher.verify(password, null)).toBe(false);
  });

  test('waits its turn, and is refused when too many wait', async () => {
    const hasher = new PasswordHasher(cheap);
    const outcomes = await Promise.allSettled(Array.from({ length: 7 }, () => hasher.hash('x')));
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(5);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect((outcome.reason as AppError).code).toBe('SERVICE_UNAVAILABLE');
    }
    expect(await hasher.verify('x', await hasher.hash('x'))).toBe(true);
  });
});
