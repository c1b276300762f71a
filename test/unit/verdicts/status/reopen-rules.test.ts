import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toStateDoc, toStateRecord } from '../../../../controller/results/writing/state-store.ts';
import type { MonitorEffect } from '../../../../controller/verdicts/monitor-state.ts';
import { REOPEN_AFTER_MS, reopenAt } from '../../../../controller/verdicts/status/reopen-rules.ts';
import { HOUR, type configOf } from '../../results/build.ts';
import { MINUTE, MonitorRun, SECOND } from '../build.ts';

const BEFORE = HOUR - 1;

/** Up for a minute, then down from second 60 on. */
function inOutage(overrides: Parameters<typeof configOf>[0] = {}): MonitorRun {
  const run = new MonitorRun(overrides);
  run.up(1);
  run.down(60);
  run.effects = [];
  return run;
}

function heartbeatInOutage(): MonitorRun {
  const run = new MonitorRun({ type: 'HEARTBEAT', heartbeat: { interval_ms: 60 * MINUTE, grace_ms: 60_000 } });
  ping(run, 'success', 1);
  ping(run, 'fail', 60);
  run.effects = [];
  return run;
}

const ping = (run: MonitorRun, kind: 'success' | 'fail', atSeconds: number): MonitorEffect[] => run.item({
  kind: 'ping', ping: {
    id: `${kind}-${atSeconds}`, monitor_id: run.config.monitor_id, kind, exit_code: null,
    at: HOUR + atSeconds * SECOND, run_ms: null,
  },
});
const incident = (run: MonitorRun): string => run.state.outage?.incident_id as string;
const end = (run: MonitorRun, atSeconds: number, incident_id = incident(run)): MonitorEffect[] =>
  run.item({ kind: 'manual_end', incident_id, at: HOUR + atSeconds * SECOND });
const reopen = (run: MonitorRun, atSeconds: number): MonitorEffect[] =>
  run.item({ kind: 'reopen', at: HOUR + atSeconds * SECOND });
const dueSeconds = (run: MonitorRun, monitoredSince = BEFORE): number | null => {
  const at = reopenAt(run.state, monitoredSince);
  return at === null ? null : (at - HOUR) / SECOND;
};

describe('an outage whose incident a person has resolved', () => {
  test('opens another incident with an alert if it continues for 5 minutes, once', () => {
    const run = inOutage();
    const first = incident(run);
    expect(end(run, 100)).toEqual([]);
    run.down(120);
    expect(dueSeconds(run)).toBe(400);
    expect(reopen(run, 399)).toEqual([]);
    const votes = run.votes.length;
    expect(reopen(run, 400)).toMatchObject([
      { kind: 'open', opening: { started_at: HOUR + 60 * SECOND, affected_regions: ['eu'] } },
      { kind: 'alert', alert: { event: 'monitor.down', reopened: true } },
    ]);
    expect(incident(run)).not.toBe(first);
    expect(run.votes.slice(votes)).toMatchObject([{ verdict: 'down', incident_id: incident(run) }]);
    expect([dueSeconds(run), reopen(run, 401), end(run, 402, first)]).toEqual([null, [], []]);
    run.down(460);
    expect(dueSeconds(run)).toBeNull();
    const second = incident(run);
    expect(run.up(520)).toEqual(expect.arrayContaining([
      expect.objectContaining({ kind: 'resolve', resolution: expect.objectContaining({ id: second }) }),
    ]));
  });

  test('opens none if it has ended meanwhile, nor does the next outage', () => {
    const run = inOutage();
    const first = incident(run);
    end(run, 100);
    run.up(120);
    expect([dueSeconds(run), reopen(run, 400)]).toEqual([null, []]);
    run.down(180);
    end(run, 190, first);
    expect([dueSeconds(run), reopen(run, 1000)]).toEqual([null, []]);
  });

  test('opens none until a check has failed since, and since results are processed again', () => {
    const run = inOutage();
    end(run, 100);
    expect(dueSeconds(run)).toBeNull();
    run.down(120);
    const restartedAt = HOUR + 150 * SECOND;
    expect([dueSeconds(run), dueSeconds(run, restartedAt)]).toEqual([400, null]);
    run.down(180);
    expect(dueSeconds(run, restartedAt)).toBe(400);
  });

  test('opens it after time without data, once the monitor is down again', () => {
    const run = inOutage();
    end(run, 100);
    run.down(120);
    run.silent('eu', 200);
    expect([run.state.status, dueSeconds(run), reopen(run, 400)]).toEqual(['unknown', null, []]);
    run.down(500);
    expect([run.state.status, dueSeconds(run)]).toEqual(['down', 400]);
    expect(reopen(run, 505)).toHaveLength(2);
  });

  test('opens none for a paused monitor, nor after it is resumed', () => {
    const run = inOutage();
    end(run, 100);
    run.down(120);
    run.change(130, { status: 'paused' });
    expect([dueSeconds(run), reopen(run, 400)]).toEqual([null, []]);
    run.change(500, { status: 'active' });
    run.down(560);
    expect([dueSeconds(run), reopen(run, 565)]).toEqual([null, []]);
  });

  test('may be resolved again, and opens yet another even if the monitor flaps', () => {
    const run = inOutage({ interval_ms: 60 * MINUTE });
    for (let at = 100; at < 6000; at += 600) {
      end(run, at);
      run.down(at + 60);
      expect(reopen(run, at + 300).map(({ kind }) => kind), `at ${at}`).toEqual(['open', 'alert']);
    }
  });

  test('behaves the same after its state was stored', () => {
    const run = inOutage();
    end(run, 100);
    run.down(120);
    const record = { monitor_id: 'm', shard: 1, position: 1, outbox: [], state: run.state };
    const stored = JSON.parse(JSON.stringify(toStateDoc(record))) as ReturnType<typeof toStateDoc>;
    expect(toStateRecord(stored).state.outage).toEqual(run.state.outage);
  });
});

test('a heartbeat that is still down 5 minutes later opens another incident, without any check', () => {
  const run = heartbeatInOutage();
  end(run, 100);
  expect(dueSeconds(run)).toBe(400);
  expect(dueSeconds(run, HOUR + 395 * SECOND), 'right after a restart').toBe(410);
  expect(reopen(run, 400).map(({ kind }) => kind)).toEqual(['open', 'alert']);
  const recovered = heartbeatInOutage();
  end(recovered, 100);
  ping(recovered, 'success', 200);
  expect([dueSeconds(recovered), reopen(recovered, 400)]).toEqual([null, []]);
});

describe('in maintenance that holds alerts', () => {
  const maintenance = [{ from: HOUR + 30 * SECOND, until: HOUR + 1000 * SECOND, holds_alerts: true }];
  const alerts = (run: MonitorRun) => run.effects.flatMap((effect) => (effect.kind === 'alert' ? effect.alert : []));

  test('the incident opens, and its alert is sent once when the maintenance ends', () => {
    const run = inOutage({ maintenance });
    end(run, 100);
    run.down(120);
    expect(reopen(run, 400)).toMatchObject([
      { kind: 'open', opening: { maintenance_until: HOUR + 1000 * SECOND } },
    ]);
    run.down(1001);
    run.down(1060);
    expect(alerts(run)).toMatchObject([{ event: 'monitor.down', incident: { id: incident(run) }, reopened: true }]);
  });

  test('one alert is sent if both are due at once', () => {
    const run = inOutage({ maintenance });
    end(run, 800);
    run.down(820);
    reopen(run, 1100);
    run.item({ kind: 'maintenance', at: HOUR + 1100 * SECOND });
    run.down(1160);
    expect(alerts(run)).toMatchObject([{ event: 'monitor.down', incident: { id: incident(run) } }]);
  });

  test('an outage that ends in it causes no alert', () => {
    const run = inOutage({ maintenance });
    end(run, 100);
    run.down(120);
    reopen(run, 400);
    run.up(500);
    for (let at = 560; at < 1500; at += 60) run.up(at);
    expect(alerts(run)).toEqual([]);
  });
});

test('at most one incident of an outage is open, in any sequence of checks and manual changes', () => {
  const act = fc.constantFrom('up', 'down', 'end', 'reopen', 'silent', 'pause', 'resume');
  fc.assert(fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
    const run = new MonitorRun();
    const open = new Set<string>();
    acts.forEach((name, index) => {
      const at = 60 + index * 200;
      const ended = run.state.outage?.incident_id;
      const effects = {
        up: () => run.up(at), down: () => run.down(at), silent: () => run.silent('eu', at),
        end: () => (ended === undefined ? [] : end(run, at, ended)), reopen: () => reopen(run, at),
        pause: () => run.change(at, { status: 'paused' }), resume: () => run.change(at, { status: 'active' }),
      }[name]();
      if (name === 'end' && ended !== undefined) open.delete(ended);
      for (const effect of effects) {
        if (effect.kind === 'resolve') open.delete(effect.resolution.id);
        if (effect.kind === 'open') open.add(effect.opening.id);
      }
      expect(open.size).toBeLessThanOrEqual(1);
      for (const id of open) expect(run.state.outage?.incident_id).toBe(id);
      const dueAt = reopenAt(run.state, BEFORE);
      if (dueAt !== null) expect(dueAt).toBe((run.state.outage?.ended_at ?? 0) + REOPEN_AFTER_MS);
    });
  }));
});
