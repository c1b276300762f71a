import { afterAll, beforeAll, describe, expect } from 'vitest';
import { until } from '../helpers/until.ts';
import { FakeTime, fakeTimeLibrary } from './fake-time.ts';
import { fault } from './fault.ts';
import { Load } from './load.ts';
import { Parts } from './parts.ts';
import { repeats, toOutcome } from './tally.ts';

const JUMP_S = 600;

interface Incident {
  status: string;
  recovery_time_seconds?: number;
}

let load: Load<Parts>;
let clock: FakeTime;
const library = await fakeTimeLibrary();

describe.runIf(library !== null)('with libfaketime', () => {
  beforeAll(async () => {
    clock = new FakeTime(library ?? '');
    load = await Load.on(Parts.start({ env: { ...clock.env, RATE_LIMIT: '500' } }));
    await load.farwatch.probe(load.session, 'local');
  });
  afterAll(async () => {
    await load?.stop();
    clock.remove();
  });

  /** The offset of the controller's clock according to its responses, seconds. */
  async function shownOffset(): Promise<number> {
    const response = await fetch(`${load.farwatch.url}/healthz`);
    return (Date.parse(response.headers.get('date') ?? '') - Date.now()) / 1000;
  }

  async function jumpTo(offsetSeconds: number): Promise<void> {
    clock.set(offsetSeconds);
    await until(async () => Math.abs((await shownOffset()) - offsetSeconds) < 60, {
      what: 'the controller has the new time', everyMs: 250,
    });
    // From then on, it dates results by that clock.
    await until(async () => {
      const { probe } = await load.session.ok<{ probe: { clock_offset_ms: number } }>(
        'GET', `/api/probes/${load.farwatch.probes[0]?.id}`,
      );
      return Math.abs(probe.clock_offset_ms / 1000 - offsetSeconds) < 60;
    }, { what: 'the probe seems to have the wrong time', everyMs: 250 });
  }

  /** Checks after the jump change nothing. */
  async function stays(id: string, incident: string, alertCount: number): Promise<void> {
    const checks = load.countOf(id);
    await until(() => load.countOf(id) >= checks + repeats(3, 30), { what: 'more checks' });
    expect(await load.statusOf(id)).toBe('down');
    expect((await load.incidents([id]))[0]).toMatchObject({ id: incident, status: 'open' });
    expect(load.alertsOf(id)).toHaveLength(alertCount);
  }

  /** The session is valid, and the rate limit's window is neither negative nor too long. */
  async function limits(): Promise<void> {
    const { status } = await load.session.call('GET', '/api/auth/me');
    expect(status).toBe(200);
    const { headers } = await fetch(`${load.farwatch.url}/api/auth/me`);
    const now = Date.now() / 1000 + (await shownOffset());
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(now - 60);
  }

  /** A heartbeat expected every six minutes, with a ping now. */
  async function createHeartbeat(): Promise<string> {
    const body = { name: 'backup', type: 'HEARTBEAT', heartbeat_interval: 300, grace_period: 60 };
    const { monitor } = await load.session.ok<{ monitor: { id: string; heartbeat_token: string } }>(
      'POST', '/api/monitors', body,
    );
    await fetch(`${load.farwatch.url}/api/heartbeat/${monitor.heartbeat_token}`, { method: 'POST' });
    await until(async () => (await load.statusOf(monitor.id)) === 'up', { what: 'the heartbeat is up' });
    return monitor.id;
  }

  /** An outage during which the clock jumps to each of `offsets`; returns the seconds until recovery. */
  async function outage(id: string, path: string, offsets: readonly number[]): Promise<number> {
    const alertCount = load.alertsOf(id).length;
    load.target.respondWith({ status: 503 }, path);
    await until(() => load.alertsOf(id).length === alertCount + 1, { what: 'monitor.down' });
    const incident = load.alertsOf(id).at(-1)?.incident.id ?? '';
    for (const offset of offsets) {
      await jumpTo(offset);
      await stays(id, incident, alertCount + 1);
      await limits();
    }
    load.target.respondWith({ status: 200 }, path);
    await until(() => load.alertsOf(id).length === alertCount + 2, { what: 'monitor.up' });
    const shown = await load.session.ok<{ incident: Incident }>('GET', `/api/incidents/${incident}`);
    expect(shown.incident).toMatchObject({ status: 'resolved' });
    expect(shown.incident.recovery_time_seconds).toBeGreaterThanOrEqual(0);
    return shown.incident.recovery_time_seconds ?? NaN;
  }

  fault('F17', 'the controller\'s clock jumps by ten minutes, forward and back, during incidents', async () => {
    const heartbeat = await createHeartbeat();
    const steady = await load.steady(3, 'steady');
    const id = await load.createMonitor('/during', { confirmation_policy: { retries: 0 } });
    await until(async () => (await load.statusOf(id)) === 'up', { what: 'up' });
    const recoveries = [
      await outage(id, '/during', [JUMP_S]),
      // Set back, it holds verdicts until its clock passes the last one, so the clock must return.
      await outage(id, '/during', repeats(0, 1) === 1 ? [0, -JUMP_S, JUMP_S] : [0, JUMP_S]),
    ];
    await until(() => load.farwatch.log().includes('the majority of probes looks unhealthy'), {
      what: 'the log names this host as a possible cause',
    });
    for (const one of [...steady, heartbeat]) expect(await load.statusOf(one)).toBe('up');
    expect(await load.incidents()).toMatchObject([{ check_id: id }, { check_id: id }]);
    expect(load.alertsOf(id).map(({ event }) => event)).toEqual(
      ['monitor.down', 'monitor.up', 'monitor.down', 'monitor.up'],
    );
    const { holes, issued, stored } = await load.settle();
    expect(holes).toEqual([]);
    expect(stored).toEqual(issued);
    const count = [...stored.values()].reduce((sum, each) => sum + each, 0);
    return toOutcome({
      injected: repeats(3, 4), results: { issued: count, stored: count, lost: 0, duplicated: 0 },
      incidents: { expected: 2, opened: 2 }, alerts: { expected: 4, delivered: 4, repeated: 0 },
      deaths: await load.farwatch.deaths(),
    }, `recovery after ${recoveries.join(' and ')} s`);
  });
});
