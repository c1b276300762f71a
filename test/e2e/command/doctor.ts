import { expect, test } from 'vitest';
import { CHECK_NAMES } from '../../../deploy/command/doctor/check.ts';
import { freePort } from '../../../deploy/quickstart/servers/ports.ts';
import { runDoctor } from '../../helpers/doctor.ts';
import type { Farwatch } from '../../helpers/farwatch.ts';
import { runCommand } from './run-command.ts';

interface Examined {
  readonly farwatch: Farwatch;
  /** What the doctor gets from its environment. */
  readonly env: Record<string, string>;
}

export function doctorOfRunning(on: Examined): void {
  test('a running installation without a mail server has that one problem', async () => {
    const { exitCode, ok, names, checks, problems, tookMs } = await runDoctor(on.env);
    expect({ exitCode, ok, problems }).toEqual({ exitCode: 0, ok: true, problems: ['mail'] });
    expect(names).toEqual(CHECK_NAMES);
    expect(checks.mail).toMatchObject({ status: 'warning', hint: 'Set SMTP_URL, or MAILGUN_API_KEY and MAILGUN_DOMAIN.' });
    expect(checks).toMatchObject({
      data_dir: { status: 'ok', message: `${on.farwatch.dataDir} is in use by a running Farwatch`, hint: null },
      database: { message: 'embedded store responds; 1 running controller' },
      ports: {
        message: `Ports held by this Farwatch: ${on.env['PORT']}, ${on.env['METRICS_LISTEN']?.slice(10)}, ${on.env['NATS_LISTEN']?.slice(10)}`,
      },
    });
    expect(tookMs).toBeLessThan(30_000);
  });

  test('a report for people has a line for each check, with a sign, and hints below; a failure exits with 1', async () => {
    const port = await freePort();
    const { exitCode, stdout } = await runCommand(['doctor'], { ...on.env, PORT: 'x', MONGODB_URL: `mongodb://127.0.0.1:${port}` });
    expect(exitCode).toBe(1);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.filter((line) => /^[✓!✗] /.test(line))).toHaveLength(CHECK_NAMES.length);
    expect(stdout).toMatch(/^✗ settings +PORT must be a whole number from 0 to 65535, not "x"$/m);
    expect(stdout).toContain('→ Correct these environment variables; docs/settings.md describes each.\n');
    expect(lines.at(-1)).toBe('3 ok, 9 warnings, 1 failed');
  });
}

/** Stops the installation. */
export function doctorOfStopped(on: Examined): void {
  test('while it is stopped, what runs only with Farwatch is not checked', async () => {
    await on.farwatch.end();
    const { ok, problems, checks } = await runDoctor(on.env);
    expect({ ok, problems }).toEqual({
      ok: true, problems: ['database', 'database_operations', 'nats', 'nats_permissions', 'mail'],
    });
    expect(checks.database.hint).toBe('Start Farwatch, and run farwatch doctor again while it runs.');
  });
}
