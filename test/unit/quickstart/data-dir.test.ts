import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimDataDir } from '../../../deploy/quickstart/data-dir.ts';
import { freePort, requirePort } from '../../../deploy/quickstart/servers/ports.ts';
import { systemClock } from '../../../shared/time.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-claim-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test.runIf(
  process.platform === 'linux',
)('only one of several concurrent starts gets the directory', async () => {
  const outcomes =
    await Promise.allSettled([1, 2, 3, 4].map(() => claimDataDir(join(dir, 'data'), systemClock)));
  const won = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  expect(won).toHaveLength(1);
  const refusal = outcomes.find((outcome) => outcome.status === 'rejected');
  expect(String(refusal?.reason)).toMatch(
    /Another Farwatch.* is using .*data\. Stop it first, or give this one its own DATA_DIR and PORT\./,
  );
  await won[0]?.value.release();
  await (await claimDataDir(join(dir, 'data'), systemClock)).release();
});

test('a directory that a newer version has written is refused and not changed', async () => {
  writeFileSync(join(dir, 'version'), '1000000\n');
  await expect(claimDataDir(dir, systemClock)).rejects.toThrow(`${dir} was written by a newer version of Farwatch.`);
  expect(readdirSync(dir)).toEqual(['version']);
});

test('only the owner can read the directory', async () => {
  const claimed = await claimDataDir(join(dir, 'deep', 'data'), systemClock);
  expect(statSync(claimed.path).mode & 0o777).toBe(0o700);
  await claimed.release();
});

test('a port in use and an unavailable address name the variable to change', async () => {
  const variables = { host: 'HOST', port: 'PORT' };
  const taken = createServer();
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
  const { port } = taken.address() as { port: number };
  await expect(requirePort('127.0.0.1', port, variables)).rejects.toThrow(
    `Cannot listen on 127.0.0.1, port ${port}: the port is in use. Set PORT to another value.`,
  );
  await expect(requirePort('192.0.2.1', 0, variables)).rejects.toThrow(
    'this machine does not have this address. Set HOST to another value.',
  );
  expect(await freePort(port), 'a preferred port that is taken is not given').not.toBe(port);
  await new Promise((done) => taken.close(done));
  expect(await freePort(port)).toBe(port);
  if (process.platform === 'linux') expect(await freePort(port), 'no port is given twice').not.toBe(port);
  expect(await freePort(), 'no outgoing connection takes it').toBeLessThan(32_768);
});
