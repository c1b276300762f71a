import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toStateDoc, toStateRecord } from '../../../../controller/results/writing/state-store.ts';
import type { MonitorConfig } from '../../../../controller/verdicts/monitor-config.ts';
import { HOUR } from '../../results/build.ts';
import { MonitorRun, SECOND } from '../build.ts';

/** A monitor that is checked every 10 seconds, up at 1 and down at 10. */
function downRun(config: Partial<MonitorConfig> = {}): MonitorRun {
  const run = new MonitorRun({ recoveries: 2, interval_ms: 10_000, timeout_ms: 5000, ...config });
  run.up(1);
  run.down(10);
  run.effects = [];
  return run;
}

describe('with more good checks before a recovery', () => {
  test('an outage ends with the first of them, and its alert is sent after the last', () => {
    const run = downRun();
    expect([run.up(20), run.up(30)]).toEqual([[], []]);
    expect(run.state).toMatchObject({ status: 'down', regions: { eu: { verdict: 'down', fails: 1 } } });
    run.up(40);
    expect(run.lines).toEqual(['down→up@20', 'resolve@20', 'monitor.up@20']);
    expect(run.state).toMatchObject({ status: 'up', since: HOUR + 20 * SECOND, outage: null });
    run.closeHour(0.025);
    expect(run.accountedSeconds()).toEqual([39, 0, 10]);
  });

  test('a failure starts the count again, in the same incident', () => {
    const run = downRun();
    run.up(20);
    run.up(30);
    run.down(35);
    run.up(40);
    run.up(50);
    expect(run.lines).toEqual([]);
    run.up(60);
    expect(run.lines).toEqual(['down→up@40', 'resolve@40', 'monitor.up@40']);
    run.closeHour(0.025);
    expect(run.accountedSeconds()).toEqual([39, 0, 30]);
  });

  test('only scheduled checks count after the first', () => {
    const run = downRun({ recoveries: 1 });
    run.result(20, { reason: 'confirm' });
    run.result(21, { reason: 'manual' });
    run.result(22, { reason: 'confirm' });
    expect(run.lines).toEqual([]);
    run.up(30);
    expect(run.lines).toEqual(['down→up@20', 'resolve@20', 'monitor.up@20']);
  });

  test('slow successes end the outage as degraded', () => {
    const run = downRun({ recoveries: 1 });
    run.result(20, { degraded: true });
    run.result(30, { degraded: true });
    expect(run.lines.slice(0, 2)).toEqual(['down→degraded@20', 'resolve@20']);
  });

  test('of several regions, the end is when the last required one first succeeded', () => {
    const run = new MonitorRun({ recoveries: 1, quorum: 'any', interval_ms: 10_000, assigned: ['eu', 'us'] });
    for (const region of ['eu', 'us']) run.up(1, region);
    run.down(10, 'eu');
    run.down(11, 'us');
    run.effects = [];
    run.up(20, 'us');
    run.up(22, 'eu');
    run.up(32, 'eu');
    expect(run.lines).toEqual([]);
    run.up(40, 'us');
    expect(run.lines).toEqual(['down→up@22', 'resolve@22', 'monitor.up@22']);
  });

  test('a region that is up needs none, and one without a vote starts afresh', () => {
    const run = downRun({ assigned: ['eu', 'us'] });
    run.up(12, 'us');
    expect(run.state.status).toBe('down');
    run.up(20);
    run.silent('eu', 60);
    expect(run.state.regions['eu']).not.toHaveProperty('recovery');
    run.up(70);
    expect(run.state.status).toBe('up');
  });

  test('the votes of a region that recovers are still down, with its last error', () => {
    const error = { type: 'timeout' as const, message: 'Timed out' };
    const run = downRun({ quorum: 'all', assigned: ['eu', 'us'] });
    run.up(11, 'us');
    run.result(20, { outcome: 'failure', error });
    run.up(30);
    run.result(31, { region: 'us', outcome: 'failure', error });
    expect(run.votes.at(-1)?.votes).toMatchObject([
      { region: 'eu', vote: 'down', attempt: 2, error }, { region: 'us', vote: 'down' },
    ]);
  });

  test('a controller that takes over continues the count', () => {
    const run = downRun();
    run.up(20);
    run.up(30);
    const stored = toStateDoc({ monitor_id: 'm', shard: 1, position: 1, state: run.state, outbox: [] });
    run.state = toStateRecord(JSON.parse(JSON.stringify(stored)) as typeof stored).state;
    run.up(40);
    expect(run.lines).toEqual(['down→up@20', 'resolve@20', 'monitor.up@20']);
  });

  test('the hour of the first success is accounted once it is known whether it counts', () => {
    const run = downRun({ interval_ms: 300_000, recoveries: 1 });
    for (let at = 310; at < 3500; at += 300) run.down(at);
    run.up(3500);
    run.closeHour(1);
    expect(run.accountedSeconds()).toEqual([9, 0, 3490]);
    run.up(3800);
    run.closeHour(2);
    expect(run.lines.slice(0, 2)).toEqual(['down→up@3500', 'resolve@3500']);
    expect(run.accountedSeconds()).toEqual([109, 0, 3490]);
  });
});

/** For one region: outages by definition, from all results at once. */
function outagesBy(outcomes: boolean[], { retries, recoveries }: { retries: number; recoveries: number }) {
  const found: { from: number; until: number | null }[] = [];
  for (let at = 0; at < outcomes.length; at += 1) {
    const isDown = outcomes.slice(at, at + retries + 1).every((isUp) => !isUp) && at + retries < outcomes.length;
    if (!isDown) continue;
    const ends = (from: number) =>
      outcomes.slice(from, from + recoveries + 1).every(Boolean) && from + recoveries < outcomes.length;
    let until = at + retries + 1;
    while (until < outcomes.length && !ends(until)) until += 1;
    found.push({ from: at, until: until < outcomes.length ? until : null });
    at = until;
  }
  return found;
}

test('outages of one region are those of the definition, whatever the results', () => {
  const scripts = fc.record({
    retries: fc.integer({ min: 0, max: 2 }), recoveries: fc.integer({ min: 0, max: 4 }),
    outcomes: fc.array(fc.boolean(), { maxLength: 60 }),
  });
  fc.assert(fc.property(scripts, ({ outcomes, ...policy }) => {
    const run = new MonitorRun({ ...policy, interval_ms: 10_000, timeout_ms: 5000 });
    run.up(0);
    outcomes.forEach((isUp, at) => (isUp ? run.up((at + 1) * 10) : run.down((at + 1) * 10)));
    const wanted = outagesBy(outcomes, policy).flatMap(({ from, until }) => [
      `open@${(from + 1) * 10}`, ...(until === null ? [] : [`resolve@${(until + 1) * 10}`]),
    ]);
    expect(run.lines.filter((line) => /^(open|resolve)@/.test(line))).toEqual(wanted);
  }), { numRuns: 300 });
});
