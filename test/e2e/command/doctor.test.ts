import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHECK_NAMES } from '../../../deploy/command/doctor/check.ts';
import { freePort } from '../../../deploy/quickstart/servers/ports.ts';
import { runDoctor } from '../../helpers/doctor.ts';
import { startFarwatch, type Farwatch } from '../../helpers/farwatch.ts';
import { runCommand } from './run-command.ts';

let farwatch: Farwatch;
let env: Record<string, string> = {};

beforeAll(async () => {
  const listeners = {
    METRICS_LISTEN: `127.0.0.1:${await freePort()}`, NATS_LISTEN: `127.0.0.1:${await freePort()}`,
  };
  farwatch = await startFarwatch({ env: listeners });
  env = { ...listeners, DATA_DIR: farwatch.dataDir, PORT: new URL(farwatch.url).port };
});
// Fails if the store has refused a command of the doctor.
afterAll(() => farwatch?.stop());

test('a running installation without a mail server has that one problem', async () => {
  const { exitCode, ok, names, checks, problems, tookMs } = await runDoctor(env);
  expect({ exitCode, ok, problems }).toEqual({ exitCode: 0, ok: true, problems: ['mail'] });
  expect(names).toEqual(CHECK_NAMES);
  expect(checks.mail).toMatchObject({ status: 'warning', hint: 'Set SMTP_URL, or MAILGUN_API_KEY and MAILGUN_DOMAIN.' });
  expect(checks).toMatchObject({
    data_dir: { status: 'ok', message: `${farwatch.dataDir} is in use by a running Farwatch`, hint: null },
    database: { message: 'embedded store responds; 1 running controller' },
    ports: {
      message: `Ports held by this Farwatch: ${env['PORT']}, ${env['METRICS_LISTEN']?.slice(10)}, ${env['NATS_LISTEN']?.slice(10)}`,
    },
  });
  expect(tookMs).toBeLessThan(30_000);
});

test('a report for people has a line for each check, with a sign, and hints below; a failure exits with 1', async () => {
  const port = await freePort();
  const { exitCode, stdout } = await runCommand(['doctor'], { ...env, PORT: 'x', MONGODB_URL: `mongodb://127.0.0.1:${port}` });
  expect(exitCode).toBe(1);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.filter((line) => /^[✓!✗] /.test(line))).toHaveLength(CHECK_NAMES.length);
  expect(stdout).toMatch(/^✗ settings +PORT must be a whole number from 0 to 65535, not "x"$/m);
  expect(stdout).toContain('→ Correct these environment variables; docs/settings.md describes each.\n');
  expect(lines.at(-1)).toBe('3 ok, 9 warnings, 1 failed');
});

test('while it is stopped, what runs only with Farwatch is not checked', async () => {
  await farwatch.end();
  const { ok, problems, checks } = await runDoctor(env);
  expect({ ok, problems }).toEqual({
    ok: true, problems: ['database', 'database_operations', 'nats', 'nats_permissions', 'mail'],
  });
  expect(checks.database.hint).toBe('Start Farwatch, and run farwatch doctor again while it runs.');
});
