import { expect, test } from 'vitest';
import { CHECK_NAMES, ok, type CheckName, type Finding } from '../../../../deploy/command/doctor/check.ts';
import { runChecks } from '../../../../deploy/command/doctor/run-checks.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';

test('a check that hangs or crashes has failed, and the others have their results', async () => {
  const clock = new SimulatedClock();
  const entries = CHECK_NAMES.map((name) => [name, async () => ok(name)]);
  const checks = Object.fromEntries(entries) as Record<CheckName, () => Promise<Finding>>;
  checks.nats = () => new Promise(() => undefined);
  checks.mail = () => Promise.reject(new Error('a bug'));
  const running = runChecks(checks, { clock }, 5000);
  await clock.advance(5000);
  const results = await running;
  expect(results.map(({ name }) => name)).toEqual(CHECK_NAMES);
  expect(results.filter(({ status }) => status !== 'ok').map(({ name, message }) => [name, message])).toEqual([
    ['nats', 'Not done after 5 s'], ['mail', 'The check itself failed: a bug'],
  ]);
});
