import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LogFile } from '../../../../deploy/quickstart/output/log-file.ts';
import { Screen } from '../../../../deploy/quickstart/output/screen.ts';
import { printReady } from '../../../../deploy/quickstart/output/ready-message.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';

function screenOf(isTTY: boolean): { screen: Screen; text: () => string } {
  let output = '';
  const screen = new Screen({ isTTY, write: (text: string) => (output += text) }, new SimulatedClock(1000));
  return { screen, text: () => output };
}

const READY = {
  url: 'http://127.0.0.1:3000', dataDir: '/data', isFirst: true, tookMs: 1234,
  registration: 'first-user' as const,
};

test('a log collector gets only JSON lines, with those of the processes unchanged', () => {
  const { screen, text } = screenOf(false);
  screen.say('info', 'Building');
  screen.relay('controller', '{"level":30,"msg":"listening","port":1}');
  screen.relay('controller', 'Error: out of luck');
  screen.print('for people');
  expect(text().trimEnd().split('\n').map((line) => JSON.parse(line) as object)).toEqual([
    { level: 30, time: 1000, name: 'quickstart', msg: 'Building' },
    { level: 30, msg: 'listening', port: 1 },
    { level: 30, time: 1000, name: 'controller', msg: 'Error: out of luck' },
  ]);
});

test('a terminal gets text, and from the processes only warnings and errors', () => {
  const { screen, text } = screenOf(true);
  screen.say('info', 'Building');
  screen.relay('controller', '{"level":30,"msg":"listening"}');
  screen.relay('controller', '{"level":40,"msg":"slow"}');
  screen.relay('embedded-mongo', '{"level":"error","msg":"disk full"}');
  expect(text()).toBe('  · Building\n  ! controller: slow\n  ✗ embedded-mongo: disk full\n');
});

test('the ready line shows the URL once, for both', () => {
  const machine = screenOf(false);
  printReady(machine.screen, READY);
  expect(JSON.parse(machine.text())).toMatchObject({ msg: 'ready', url: READY.url, took_ms: 1234 });
  const person = screenOf(true);
  printReady(person.screen, READY);
  expect(person.text().match(/ready/g)).toHaveLength(1);
  expect(person.text()).toContain('No account exists yet. Open the address in a browser');
});

test.each([
  [{ isFirst: false }],
  [{ registration: 'closed' as const }],
])('the ready message does not offer a first account with %o', (change) => {
  const { screen, text } = screenOf(true);
  printReady(screen, { ...READY, ...change });
  expect(text()).not.toContain('No account');
});

test('the log file is rotated at 10 MB, with one old file kept', () => {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-log-'));
  const path = join(dir, 'logs', 'farwatch.log');
  const file = new LogFile(path);
  for (let at = 0; at < 36; at += 1) file.write('x'.repeat(999_999));
  file.write('last');
  file.close();
  expect(readdirSync(join(dir, 'logs')).sort()).toEqual(['farwatch.log', 'farwatch.log.1']);
  expect(statSync(`${path}.1`).size).toBeLessThan(11_500_000);
  expect(readFileSync(path, 'utf8').endsWith('last\n')).toBe(true);
  rmSync(dir, { recursive: true });
});
