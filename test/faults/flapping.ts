import { expect } from 'vitest';
import { FLAP_DOWNS } from '../../controller/verdicts/notices/held-alert-rules.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import type { Load } from './load.ts';
import { countResults, repeats, toOutcome } from './tally.ts';

/** Targets change with each check. */
export function flapping(on: { readonly load: Load }): void {
  /** Documented limit: outage alerts per forty checks, or per minute if that is longer. */
  const MAX_DOWNS = FLAP_DOWNS;

  fault('F34', 'targets flap with each check: some need a recheck, some alert immediately', async () => {
    const each = repeats(2, 10);
    const flapping: string[] = [];
    const paths: string[] = [];
    for (let at = 0; at < each; at += 1) {
      for (const [kind, retries] of [['confirmed', 1], ['at-once', 0]] as const) {
        const path = `/${kind}/${at}`;
        paths.push(path);
        flapping.push(await on.load.createMonitor(path, { confirmation_policy: { regions: 'majority', retries } }));
      }
    }
    // Responses alternate, 200, 503, 200, 503…, so a recheck finds the target up.
    for (const path of paths) on.load.target.choose(path, (count) => ({ status: count % 2 === 1 ? 200 : 503 }));
    await until(() => paths.every((path) => on.load.target.countOf(path) >= 16), { what: 'checks run' });
    for (const path of paths) on.load.target.respondWith({ status: 200 }, path);
    await until(async () => (await Promise.all(flapping.map((id) => on.load.statusOf(id)))).every(
      (status) => status === 'up',
    ), { what: 'all are up' });
    // The last recovery is reported once the status has been steady for a while.
    const isRecoveryAlerted = (id: string) => on.load.alertsOf(id).at(-1)?.event === 'monitor.up';
    await until(
      () => flapping.every((id, index) => index % 2 === 0 || isRecoveryAlerted(id)),
      { what: 'the last recoveries are reported' },
    );
    const results = await countResults(on.load);
    const incidents = await on.load.incidents();
    expect(incidents.filter((incident) => incident.status !== 'resolved')).toEqual([]);
    let [delivered, maxAlerts] = [0, 0];
    for (const [index, id] of flapping.entries()) {
      const alerts = on.load.alertsOf(id);
      const downs = alerts.filter(({ event }) => event === 'monitor.down');
      if (index % 2 === 0) expect(downs, 'a successful recheck prevents an outage').toEqual([]);
      else {
        expect(incidents.filter((incident) => incident.check_id === id).length).toBeGreaterThan(FLAP_DOWNS);
        expect(downs.length).toBe(MAX_DOWNS);
        expect(alerts.at(-1)?.event, 'the last recovery is reported').toBe('monitor.up');
      }
      expect(new Set(alerts.map(({ event, incident }) => `${event} ${incident.id}`)).size).toBe(alerts.length);
      delivered += alerts.length;
      maxAlerts = Math.max(maxAlerts, alerts.length);
    }
    expect(maxAlerts).toBeLessThanOrEqual(2 * MAX_DOWNS);
    return toOutcome({
      injected: flapping.length, results, alerts: { expected: 2 * MAX_DOWNS * each, delivered, repeated: 0 },
    },
      `${incidents.length} outages of ${each} monitors; 0 of the ${each} with a recheck; alerts of one monitor at most ${maxAlerts}, limit ${2 * MAX_DOWNS}`);
  });
}
