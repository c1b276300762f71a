import { describe, expect, test } from 'vitest';
import { failure, missed, success, type Finding } from '../../../../probe/checks/check.ts';
import { EvidenceSender } from '../../../../probe/evidence/evidence-sender.ts';
import { limitsFor } from '../../../../probe/runner/limits.ts';
import { Runner } from '../../../../probe/runner/runner.ts';
import type { Assignment } from '../../../../shared/contracts/assignment.ts';
import type { EvidenceMessage } from '../../../../shared/contracts/evidence.ts';
import type { CheckResult } from '../../../../shared/contracts/result.ts';
import { newId } from '../../../../shared/ids.ts';
import { SimulatedClock } from '../../../helpers/simulated-clock.ts';
import { sleep } from '../../../../shared/time.ts';
import { createLog } from '../../../../shared/log.ts';
import { buildAssignment, buildHttpSpec } from '../build.ts';
import { RecordingBus } from './recording-bus.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

const seen = (status: string, body: string): Pick<Finding, 'observed' | 'remote_address' | 'response_time_ms' | 'timings'> => ({
  observed: { addresses: ['192.0.2.1', '192.0.2.2'], head: `HTTP/1.1 ${status}\r\nServer: x\r\nSet-Cookie: a=b\r\n\r\n`, body },
  remote_address: '192.0.2.1', response_time_ms: 12.34, timings: { connect: 1.23 },
});
const good = (body = 'fine'): Finding => success({ status_code: 200, ...seen('200 OK', body) });
const bad = (status = 503, body = 'Sorry'): Finding =>
  failure('status_code', 'response', `Expected 200, got ${status}`, { status_code: status, ...seen(`${status} Busy`, body) });
const TIMEOUT = failure('timeout', 'response', 'No response');

function build(isCutOff = false) {
  const clock = new SimulatedClock();
  const bus = new RecordingBus();
  let nextFinding: Promise<Finding> = Promise.resolve(good());
  const results: CheckResult[] = [];
  const sender = new EvidenceSender({ bus, clock, log: createLog('test', 'silent'), region: 'eu', probeId: 'p1', monitors: () => 10 });
  const runner = new Runner({
    clock, random: () => 0.5, limits: limitsFor(100_000), isCutOff: () => Promise.resolve(isCutOff),
    check: () => nextFinding, record: (result) => results.push(result), observer: sender,
  });
  sender.start();
  return {
    clock, bus, sender, runner, results,
    /** One slot with its rechecks, and time to send their evidence. */
    async slot(found: Finding, assignment: Assignment, advanceMs = 10 * SECOND): Promise<void> {
      nextFinding = Promise.resolve(found);
      runner.slot(assignment, clock.now());
      await clock.advance(advanceMs);
    },
    respondWith(found: Finding): void {
      nextFinding = Promise.resolve(found);
    },
    /** Delays checks that start from now on until the returned function is called. */
    hold(): (found: Finding) => void {
      let release: (found: Finding) => void = () => undefined;
      nextFinding = new Promise((resolve) => (release = resolve));
      return release;
    },
  };
}

const kinds = (messages: EvidenceMessage[]): string[] => messages.map(({ error, status_line: line }) => line ?? error.type);

describe('a failed check', () => {
  test('sends what it saw, with the last good check', async () => {
    const { clock, bus, slot, results } = build();
    const assignment = buildAssignment({ retries: 0, assignment_rev: 7, spec: buildHttpSpec({ headers: { 'X-Own': 'zebra' } }) });
    const startedAt = clock.now();
    await slot(good('fine, zebra'), assignment);
    expect(bus.sent).toEqual([]);
    await slot(bad(503, 'Sorry, zebra'), assignment);
    expect(bus.sent[0]?.subject).toBe('evidence.eu.p1');
    const headers = [{ name: 'Server', value: 'x' }, { name: 'Set-Cookie', value: '***' }];
    const common = { remote_address: '192.0.2.1', addresses: ['192.0.2.1', '192.0.2.2'], certificate: null, timings: { connect: 1.2 } };
    expect(bus.messages).toEqual([{
      v: 1, monitor_id: assignment.monitor_id, assignment_rev: 7, checked_at: startedAt + 10 * SECOND,
      error: { type: 'status_code', layer: 'response', message: 'Expected 200, got 503' },
      status_line: 'HTTP/1.1 503 Busy', headers, body_excerpt: 'Sorry, ***', ...common,
      last_good: { checked_at: startedAt, status_line: 'HTTP/1.1 200 OK', headers, body_excerpt: 'fine, ***', ...common },
    }]);
    expect(results.map((result) => result.outcome)).toEqual(['success', 'failure']);
  });

  test('sends every attempt until the monitor counts as failing, then changes of error type, and the rest hourly', async () => {
    const { bus, slot } = build();
    const assignment = buildAssignment({ retries: 2 });
    await slot(bad(), assignment);
    expect(bus.messages).toHaveLength(3);
    expect(bus.messages[0]?.last_good).toBeNull();
    for (let at = 0; at < 5; at += 1) await slot(bad(), assignment);
    expect(bus.messages).toHaveLength(3);
    await slot(bad(500), assignment);
    await slot(bad(500), assignment);
    await slot(TIMEOUT, assignment);
    expect(kinds(bus.messages.slice(3))).toEqual(['HTTP/1.1 500 Busy', 'timeout']);
    await slot(TIMEOUT, assignment, HOUR);
    await slot(TIMEOUT, assignment);
    expect(bus.messages).toHaveLength(6);
    await slot(good(), assignment);
    await slot(TIMEOUT, assignment);
    expect(bus.messages).toHaveLength(9);
  });

  test('sends nothing if it says nothing about the target', async () => {
    const { bus, slot } = build();
    await slot(missed('overload'), buildAssignment());
    expect(bus.sent).toEqual([]);
    const cutOff = build(true);
    await cutOff.slot(TIMEOUT, buildAssignment());
    expect(cutOff.results.map((result) => result.missed?.reason)).toEqual(['probe_unhealthy']);
    await cutOff.runner.order(buildAssignment(), 'confirm');
    await cutOff.clock.advance(SECOND);
    expect(cutOff.bus.sent).toEqual([]);
  });

  test('of an order sends evidence when it confirms, but not for a manual check', async () => {
    const { bus, clock, runner, respondWith } = build();
    respondWith(bad());
    await runner.order(buildAssignment(), 'manual');
    await clock.advance(SECOND);
    expect(bus.sent).toEqual([]);
    const assignment = buildAssignment();
    for (let at = 0; at < 3; at += 1) await runner.order(assignment, 'confirm');
    await clock.advance(SECOND);
    expect(bus.messages.map((message) => message.monitor_id)).toEqual(Array(3).fill(assignment.monitor_id));
  });

  test('starts afresh after a change of the monitor', async () => {
    const { bus, slot, runner } = build();
    const assignment = buildAssignment({ retries: 0 });
    await slot(good(), assignment);
    runner.forget(assignment.monitor_id);
    await slot(bad(), assignment);
    runner.forget(assignment.monitor_id);
    await slot(bad(), assignment);
    expect(bus.messages.map((message) => message.last_good)).toEqual([null, null]);
  });
});

describe('a check that ends after its monitor was changed', () => {
  test("sends nothing and doesn't count as the last good check", async () => {
    for (const late of [bad(), good()]) {
      const { bus, clock, runner, slot, hold } = build();
      const assignment = buildAssignment({ retries: 0 });
      const release = hold();
      runner.slot(assignment, clock.now());
      await clock.advance(SECOND);
      runner.forget(assignment.monitor_id);
      release(late);
      await clock.advance(SECOND);
      expect(bus.sent).toEqual([]);
      await slot(bad(), assignment);
      expect(bus.messages[0]?.last_good).toBeNull();
    }
  });
});

describe('the last good check', () => {
  test('is replaced once a minute, and immediately after a failure', async () => {
    const { bus, slot } = build();
    const assignment = buildAssignment({ retries: 0 });
    for (const body of ['0 s', '10 s', '20 s']) await slot(good(body), assignment);
    await slot(bad(), assignment);
    await slot(good('40 s'), assignment);
    await slot(bad(), assignment, 60 * SECOND);
    await slot(good('110 s'), assignment, 60 * SECOND);
    await slot(good('170 s'), assignment);
    await slot(bad(), assignment);
    expect(bus.messages.map((message) => message.last_good?.body_excerpt)).toEqual(['0 s', '40 s', '170 s']);
  });
});

describe('many failures', () => {
  const monitors = (count: number): Assignment[] =>
    Array.from({ length: count }, (_, at) => buildAssignment({ monitor_id: newId(at), retries: 0 }));

  test('are sent at the rate limit, and dropped ones are counted and sent another time', async () => {
    const { bus, clock, runner, sender, results, respondWith } = build();
    const all = monitors(300);
    respondWith(bad());
    for (const assignment of all) runner.slot(assignment, clock.now());
    await clock.advance(SECOND);
    expect(results).toHaveLength(300);
    expect(bus.sent.length).toBeLessThanOrEqual(100 + 5);
    expect(sender.unsentCount).toBe(300 - bus.sent.length);
    for (let at = 0; at < 60; at += 1) {
      for (const assignment of all) runner.slot(assignment, clock.now());
      await clock.advance(SECOND);
    }
    expect(new Set(bus.messages.map((message) => message.monitor_id)).size).toBe(300);
    expect(bus.sent.length).toBeLessThanOrEqual(100 + 5 * 62);
  });

  test('of one flapping monitor leave capacity for others', async () => {
    const { bus, slot } = build();
    const [one, other] = monitors(2) as [Assignment, Assignment];
    for (let at = 0; at < 50; at += 1) {
      await slot(good(), one, SECOND);
      await slot(bad(), one, SECOND);
    }
    expect(bus.sent).toHaveLength(20);
    await slot(bad(), other);
    expect(bus.messages.at(-1)?.monitor_id).toBe(other.monitor_id);
  });

  test('queue while disconnected, up to 64 of them', async () => {
    const { bus, clock, runner, sender, respondWith } = build();
    bus.change(false);
    respondWith(bad());
    const all = monitors(100);
    for (const assignment of all) runner.slot(assignment, clock.now());
    await clock.advance(SECOND);
    expect(bus.sent).toEqual([]);
    bus.change(true);
    await clock.advance(SECOND);
    expect(bus.messages.map((message) => message.monitor_id)).toEqual(all.slice(0, 64).map((each) => each.monitor_id));
    expect(sender.unsentCount).toBe(36);
  });

  test('take a fifth of a slow link, and wait for nothing on a lost connection', async () => {
    const { bus, clock, runner, respondWith } = build();
    let lose: () => void = () => undefined;
    bus.flush = () => Promise.race([sleep(clock, SECOND), new Promise<void>((resolve) => (lose = resolve))]);
    respondWith(bad());
    for (const assignment of monitors(10)) runner.slot(assignment, clock.now());
    await clock.advance(9 * SECOND);
    expect(bus.sent).toHaveLength(2);
    await clock.advance(2 * SECOND);
    expect(bus.sent).toHaveLength(3);
    bus.change(false);
    lose();
    bus.change(true);
    await clock.advance(4 * SECOND);
    expect(bus.sent).toHaveLength(4);
  });

  test('are not sent after the stop', async () => {
    const { bus, clock, runner, sender, respondWith } = build();
    respondWith(bad());
    runner.slot(buildAssignment(), clock.now());
    await clock.advance(0);
    sender.stop();
    await clock.advance(SECOND);
    expect(bus.sent.length).toBeLessThanOrEqual(1);
    expect(clock.pending).toBe(0);
  });
});
