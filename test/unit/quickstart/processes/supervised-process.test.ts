import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ProcessSpec } from '../../../../deploy/quickstart/processes/process-spec.ts';
import { RunRecords } from '../../../../deploy/quickstart/processes/run-records.ts';
import { Screen } from '../../../../deploy/quickstart/output/screen.ts';
import { SupervisedProcess } from '../../../../deploy/quickstart/processes/supervised-process.ts';
import { systemClock } from '../../../../shared/time.ts';
import { until } from '../../../helpers/until.ts';

let dir = '';
let output = '';
let reasons: string[] = [];
let refusals: string[] = [];
let running: SupervisedProcess | null = null;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'farwatch-supervised-'));
  output = '';
  reasons = [];
  refusals = [];
});
afterEach(async () => {
  await running?.stop();
  rmSync(dir, { recursive: true });
});

function supervise(script: string, more: Partial<ProcessSpec> = {}): SupervisedProcess {
  const records = new RunRecords(dir);
  const screen = new Screen({ write: (text: string) => (output += text) }, systemClock);
  const spec = {
    role: 'child', command: process.execPath, args: ['-e', script], env: process.env, hasChannel: false,
    stopTimeoutMs: 60_000, ...more,
  };
  const onCrashLoop = (reason: string) => void reasons.push(reason);
  const onRefused = (reason: string) => void refusals.push(reason);
  running = new SupervisedProcess({ clock: systemClock, screen, records, onCrashLoop, onRefused }, spec);
  running.start();
  return running;
}

const IDLE = 'setInterval(() => {}, 1000);';

test('a process that dies is restarted and recorded again', async () => {
  const child = supervise(`console.log("up"); ${IDLE}`);
  const first = child.pid as number;
  await until(() => output.includes('"msg":"up"'), { what: 'it is up' });
  process.kill(first, 'SIGKILL');
  const second = await until(() => (child.pid === first ? null : child.pid), { what: 'a new process' });
  expect(second).not.toBe(first);
  expect(output).toContain('child exited (SIGKILL); restarting it in 0.1 s');
  expect(new RunRecords(dir).living()).toMatchObject([{ role: 'child', pid: second }]);
});

test('a crash loop is reported with the last log lines as plain text', async () => {
  supervise('console.error(JSON.stringify({ level: 50, msg: "no database" })); process.exit(3)');
  await until(() => reasons.length > 0, { what: 'the crash loop is noticed' });
  expect(reasons[0]).toMatch(/^child keeps exiting \(exit code 3\)\. Its last output:\n {4}no database/);
});

test('a process that exits with 2 is reported at once, without its log entries', async () => {
  supervise('console.log(JSON.stringify({ level: 30, msg: "starts" })); console.error("set X"); process.exit(2)');
  await until(() => refusals.length > 0, { what: 'the refusal is noticed' });
  expect([refusals[0], reasons]).toEqual(['set X', []]);
});

test('a missing program counts as a crash loop', async () => {
  supervise('', { command: '/no/such/program' });
  await until(() => reasons.length > 0, { what: 'the crash loop is noticed' });
  expect(reasons[0]).toContain('ENOENT');
});

test('stop waits for a clean exit and does not restart', async () => {
  const child = supervise(
    `process.on("SIGTERM", () => { console.log("drained"); process.exit(0); }); console.log("up"); ${IDLE}`,
  );
  await until(() => output.includes('up'), { what: 'it is up' });
  await child.stop();
  expect(output).toContain('drained');
  expect(child.pid).toBe(null);
  expect(new RunRecords(dir).living()).toEqual([]);
});

test('stop kills a process that does not exit in time', async () => {
  const child =
    supervise(`process.on("SIGTERM", () => {}); console.log("up"); ${IDLE}`, { stopTimeoutMs: 300 });
  await until(() => output.includes('up'), { what: 'it is up' });
  await child.stop();
  expect(output).toContain('child did not stop within 0.3 s and was killed');
});

test('an exit is noticed even if another process holds the output open', async () => {
  const script = `const holder = require("child_process").spawn("sleep", ["600"], { stdio: "inherit", detached: true });
    holder.unref(); console.log("holder " + holder.pid + "."); setTimeout(() => process.exit(1), 50)`;
  const child = supervise(script);
  const first = child.pid;
  try {
    await until(() => child.pid !== first && child.pid !== null, { what: 'a new process' });
  } finally {
    await child.stop();
    for (const [, pid] of output.matchAll(/holder (\d+)\./g)) process.kill(Number(pid), 'SIGKILL');
  }
});
