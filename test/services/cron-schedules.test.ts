import { execFileSync } from 'node:child_process';
import PQueue from 'p-queue';
import { expect, test } from 'vitest';
import { CASES, describeTimes, systemdTimes } from '../helpers/systemd-calendar.ts';

/** Whether this machine has the program. */
function hasSystemd(): boolean {
  try {
    execFileSync('systemd-analyze', ['calendar', 'daily'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('systemd-analyze finds the recorded due times around clock changes', async ({ skip }) => {
  skip(!hasSystemd(), 'systemd-analyze is not installed (Debian package: systemd)');
  const queue = new PQueue({ concurrency: 4 });
  const lines = await queue.addAll(CASES.map((of) => async () => describeTimes(of, await systemdTimes(of))));
  // `npx vitest run --project services test/services/cron-schedules.test.ts -u` records them anew.
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../fixtures/cron/systemd.txt');
});
