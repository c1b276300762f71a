import { expect, test } from 'vitest';
import { retryOnConflict } from '../../../controller/platform/mongo/mongo-errors.ts';

/** Returns null as often as a concurrent change wins. */
function contendedChange(losses: number) {
  let attempts = 0;
  return () => Promise.resolve((attempts += 1) > losses ? attempts : null);
}

test('a change is repeated while concurrent changes win', async () => {
  await expect(retryOnConflict('The monitor is', contendedChange(0))).resolves.toBe(1);
  await expect(retryOnConflict('The monitor is', contendedChange(19))).resolves.toBe(20);
});

test('a change that never wins is refused as a conflict', async () => {
  await expect(retryOnConflict('The monitor is', contendedChange(3), 3)).rejects.toMatchObject({
    code: 'CONFLICT', message: 'The monitor is being changed by another request; try again',
  });
});

test('an error is not repeated', async () => {
  let attempts = 0;
  const change = () => Promise.reject(new Error(`attempt ${attempts += 1}`));
  await expect(retryOnConflict('The monitor is', change)).rejects.toThrow('attempt 1');
});
