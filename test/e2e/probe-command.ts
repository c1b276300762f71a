import { spawn, type ChildProcess } from 'node:child_process';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiSession } from '../helpers/api-session.ts';
import { cleanEnvironment } from '../helpers/clean-environment.ts';
import { EventClient, type ReceivedEvent } from '../helpers/event-client.ts';
import type { Farwatch } from '../helpers/farwatch.ts';
import { startTarget } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';

const START = join(resolve(import.meta.dirname, '../..'), 'deploy/command/farwatch.mjs');

interface Command {
  child: ChildProcess;
  output(): string;
  /** Resolves to the exit code. */
  ended: Promise<number | null>;
}

/** With a region `second`. */
export interface Installation {
  readonly farwatch: Farwatch;
  /** A directory for probes. */
  readonly dir: string;
  /** The operator's session. */
  readonly token: string;
  /** Returns the enrolment token of a new probe in the region. */
  newProbe(name: string): Promise<string>;
}

export function probeCommand(on: Installation): void {
  let token = '';
  const commands: Command[] = [];

  function probe(dataDir: string, ...args: string[]): Command {
    const child =
      spawn(process.execPath, [START, 'probe', ...args], { env: cleanEnvironment({ DATA_DIR: dataDir }) });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise<number | null>((done) => child.once('close', done));
    const command = { child, output: () => output, ended };
    commands.push(command);
    return command;
  }

  beforeAll(async () => {
    token = await on.newProbe('second-1');
  });
  afterAll(() => {
    for (const { child } of commands) child.kill('SIGKILL');
  });

  test('a probe without identity and token exits with a one-line explanation and code 2', async () => {
    const command = probe(join(on.dir, 'empty'));
    expect(await command.ended).toBe(2);
    expect(errorLines(command)).toHaveLength(1);
  });

  test('npm run probe enrols with a token and stops on a signal', async () => {
    const command = probe(join(on.dir, 'one'), '--controller', on.farwatch.url, '--token', token);
    await until(() => command.output().includes('"msg":"connected"'), { what: 'connected' });
    command.child.kill('SIGTERM');
    expect(await command.ended).toBe(0);
  });

  test('an enrolled probe starts without token and controller address', async () => {
    const command = probe(join(on.dir, 'one'));
    await until(() => command.output().includes('"msg":"connected"'), { what: 'connected' });
    expect(command.output()).toContain('"region":"second"');
    command.child.kill('SIGINT');
    expect(await command.ended).toBe(0);
  });

  test('the first failure in one region triggers a check in the other at once, before its next slot', async () => {
    const command = probe(join(on.dir, 'one'));
    await until(() => command.output().includes('"msg":"connected"'), { what: 'connected' });
    const [target, api] = [await startTarget(), new ApiSession(on.farwatch.url).as(on.token)];
    const stream = await EventClient.open(on.farwatch.url, { authorization: `Bearer ${on.token}` });
    const { monitor } = await api.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: 'Shop', type: 'HTTP', target: target.url, interval_seconds: 20, monitoring_regions: ['local', 'second'],
      confirmation_policy: { retries: 1 },
    });
    const isOf = (region: string) => (data: ReceivedEvent['data']) => data['region'] === region;
    await Promise.all(['local', 'second'].map((region) => stream.next('result', isOf(region))));
    target.respondWith({ status: 503 });
    await stream.next('monitor.state', ({ status }) => status === 'down');
    const failures = stream.events.filter(({ event, data }) => event === 'result' && data['outcome'] === 'failure');
    const startsIn = (region: string) => failures.map(({ data }) => data).filter(isOf(region))
      .map((data) => Number(data['checked_at']));
    const [here, there] = [startsIn('local'), startsIn('second')] as [number[], number[]];
    expect([here.length, there.length]).toEqual([2, 2]);
    // The slots of two regions are half an interval apart.
    expect(Math.abs((here[0] as number) - (there[0] as number))).toBeLessThan(10_000);
    await api.ok('DELETE', `/api/monitors/${monitor.id}`);
    stream.close();
    command.child.kill('SIGTERM');
    expect(await command.ended).toBe(0);
    await target.close();
  });

  test('a probe with a used token exits with a one-line explanation and code 2', async () => {
    const command = probe(join(on.dir, 'two'), '--controller', on.farwatch.url, '--token', token);
    expect(await command.ended).toBe(2);
    expect(errorLines(command)).toHaveLength(1);
    expect(errorLines(command)[0]).toContain('refused');
  });

  test('the error names the wrong flag', async () => {
    const command = probe(join(on.dir, 'three'), '--controller', 'ftp://c', '--token', token);
    expect(await command.ended).toBe(2);
    expect(command.output()).toContain(
      '--controller must be an address that starts with http:// or https://, not "ftp://c"',
    );
  });
}

/** Output other than log lines. */
function errorLines(command: Command): string[] {
  return command.output().split('\n').filter((line) => line !== '' && !line.startsWith('{'));
}
