import { describe, expect, test } from 'vitest';
import {
  couldBeDown, decide, MAX_CHECK_MS, phaseOf, SETTLE_MS, type Dependency,
} from '../../../controller/dependencies/dependency-rules.ts';
import { isEndedBy } from '../../../controller/dependencies/gate.ts';
import type { HeldAlert } from '../../../controller/dependencies/held-alert.ts';
import { configOf } from '../results/build.ts';

const NOW = 1_000_000;

const held = (change: Partial<HeldAlert> = {}): HeldAlert => ({
  _id: 'alert', organization_id: 'o', project_id: 'p', monitor_id: 'service', event: 'monitor.down', incident_id: 'incident',
  shard: 1, held_at: NOW, due_at: NOW, status: 'held', ...change,
});
const dependency = (change: Partial<Dependency> = {}): Dependency => (
  { monitor_id: 'router', name: 'Router', isDown: false, since: 0, isUnderCheck: false, ...change }
);
const ROUTER = { monitor_id: 'router', name: 'Router' };

describe('a held alert', () => {
  test('is sent if all dependencies were checked and are up, or there are none', () => {
    expect(decide(held(), 'ongoing', [dependency(), dependency()], NOW)).toEqual({ kind: 'send' });
    expect(decide(held(), 'ongoing', [], NOW)).toEqual({ kind: 'send' });
  });

  test('waits for the check of a dependency, but no longer than a minute', () => {
    const checked = [dependency(), dependency({ monitor_id: 'switch', name: 'Switch', isUnderCheck: true })];
    expect(decide(held(), 'ongoing', checked, NOW + MAX_CHECK_MS - 1)).toMatchObject({
      kind: 'hold', change: { held_by: { monitor_id: 'switch', name: 'Switch' } },
    });
    expect(decide(held(), 'ongoing', checked, NOW + MAX_CHECK_MS)).toEqual({ kind: 'send' });
  });

  test('is held for as long as a dependency is down', () => {
    const down = [dependency({ monitor_id: 'switch' }), dependency({ isDown: true, isUnderCheck: true })];
    const decision = decide(held(), 'ongoing', down, NOW + 86_400_000);
    expect(decision).toMatchObject({ kind: 'hold', change: { held_by: ROUTER, was_down: true } });
    expect(decision).not.toHaveProperty('change.recovered_at');
  });

  test('keeps the dependency that holds it while several are down', () => {
    const down = [dependency({ monitor_id: 'switch', isDown: true }), dependency({ isDown: true })];
    const decision = decide(held({ held_by: ROUTER, was_down: true }), 'ongoing', down, NOW);
    expect(decision).toMatchObject({ change: { held_by: ROUTER } });
  });

  test('is sent a minute after the last dependency recovered', () => {
    const was = { held_by: ROUTER, was_down: true as const };
    const recovered = [dependency({ since: NOW + 5000 }), dependency({ since: NOW + 3000 })];
    const noticed = decide(held(was), 'ongoing', recovered, NOW + 8000);
    expect(noticed).toMatchObject({ kind: 'hold', change: { recovered_at: NOW + 5000 } });
    expect(noticed).not.toHaveProperty('change.held_by');
    const later = held({ ...was, recovered_at: NOW + 5000 });
    expect(decide(later, 'ongoing', recovered, NOW + 5000 + SETTLE_MS - 1)).toMatchObject({
      kind: 'hold', change: { due_at: NOW + 5000 + SETTLE_MS },
    });
    expect(decide(later, 'ongoing', recovered, NOW + 5000 + SETTLE_MS)).toEqual({ kind: 'send' });
  });

  test('gets half a minute more if the recovery is noticed late', () => {
    const late = decide(held({ was_down: true }), 'ongoing', [dependency({ since: NOW + 1 })], NOW + 600_000);
    expect(late).toMatchObject({ kind: 'hold', change: { recovered_at: NOW + 570_000 } });
  });

  test('waits again if a dependency goes down again before it is sent', () => {
    const again = decide(held({ was_down: true, recovered_at: NOW }), 'ongoing', [dependency({ isDown: true })], NOW + 1);
    expect(again).toMatchObject({ kind: 'hold', change: { recovered_at: null } });
  });

  test('ends with the outage, and is not sent while it is unclear whether that is over', () => {
    expect(decide(held(), 'over', [dependency({ isDown: true })], NOW)).toEqual({ kind: 'end' });
    expect(decide(held(), 'interrupted', [], NOW)).toMatchObject({ kind: 'wait' });
  });
});

describe('the outage of a held alert', () => {
  const live = (status: 'up' | 'down' | 'unknown', incident: string | null = null, since = 0) => (
    { status, since, open_incident: incident === null ? null : { id: incident } }
  );

  test('is over if the monitor is paused or deleted', () => {
    expect(phaseOf(held(), false, live('down', 'incident'))).toBe('over');
  });

  test('is ongoing while the monitor has its incident, or nobody knows the monitor', () => {
    expect(phaseOf(held(), true, live('down', 'incident'))).toBe('ongoing');
    expect(phaseOf(held(), true, undefined)).toBe('ongoing');
    expect(phaseOf(held(), true, live('up'))).toBe('interrupted');
    expect(phaseOf(held(), true, live('down', 'another'))).toBe('interrupted');
  });

  test('without data is ongoing while the monitor is unknown, and over once it was something else', () => {
    const { incident_id: _none, ...noData } = held({ event: 'monitor.no_data' });
    expect(phaseOf(noData, true, live('unknown', null, NOW - 1))).toBe('ongoing');
    expect(phaseOf(noData, true, live('up', null, NOW + 1))).toBe('interrupted');
    expect(phaseOf(noData, true, live('unknown', null, NOW + 1))).toBe('over');
  });

  test('of a flapping monitor is ongoing whenever the monitor is down', () => {
    const flapping = held({ is_flapping: true });
    expect(phaseOf(flapping, true, live('down', 'later'))).toBe('ongoing');
    expect(phaseOf(flapping, true, live('up'))).toBe('interrupted');
  });
});

test('a recovery ends the alert of its own incident only, and a later one if the monitor was flapping', () => {
  const monitor = configOf({ depends_on: ['router'] });
  const recovery = (incident: string, id = 'up') => (
    { id, monitor, incident: { id: incident, started_at: 1, resolved_at: 2 } }
  );
  expect(isEndedBy(held(), recovery('incident'))).toBe(true);
  expect(isEndedBy(held(), recovery('another'))).toBe(false);
  expect(isEndedBy(held({ is_flapping: true }), recovery('another'))).toBe(true);
  expect(isEndedBy(held({ recovery_id: 'up' }), recovery('incident'))).toBe(true);
  expect(isEndedBy(held({ recovery_id: 'up', is_flapping: true }), recovery('another', 'next'))).toBe(false);
  const { due_at: _due, ...settled } = held({ is_flapping: true });
  expect(isEndedBy(settled, recovery('another'))).toBe(true);
  expect(isEndedBy(settled, { ...recovery('another'), monitor: configOf() })).toBe(false);
});

describe('a checked dependency', () => {
  const run = (region: string, outcome: 'success' | 'failure' | 'missed' | null) => (
    { region, result: outcome === null ? null : { outcome } }
  );

  test('could be down only if enough regions fail', () => {
    const assigned = ['ap', 'eu', 'us'];
    const config = configOf({ assigned });
    expect(couldBeDown(config, assigned.map((region) => run(region, 'failure')))).toBe(true);
    expect(couldBeDown(config, [run('ap', 'failure'), run('eu', 'failure'), run('us', 'success')])).toBe(true);
    expect(couldBeDown(config, [run('ap', 'failure'), run('eu', 'success'), run('us', 'success')])).toBe(false);
    expect(couldBeDown(configOf({ assigned, quorum: 'any' }), [run('ap', 'failure'), run('eu', 'success')])).toBe(true);
    expect(couldBeDown(configOf({ assigned, quorum: 'all' }), [run('ap', 'failure'), run('eu', 'success')])).toBe(false);
  });

  test('could be down if only one of its regions could check and fails', () => {
    const config = configOf({ assigned: ['eu', 'us'] });
    expect(couldBeDown(config, [run('eu', 'failure'), run('us', null)])).toBe(true);
  });

  test('is not taken for down if no region could check', () => {
    const config = configOf({ assigned: ['eu', 'us'] });
    expect(couldBeDown(config, [run('eu', null), run('us', 'missed')])).toBe(false);
    expect(couldBeDown(config, [])).toBe(false);
  });
});
