import { afterAll, beforeAll, expect } from 'vitest';
import { FLAP_DOWNS } from '../../controller/verdicts/flap-rules.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { Load } from './load.ts';
import { countResults, repeats, tell } from './tally.ts';

/** Documented limit: outage alerts per forty checks, or per minute if that is longer. */
const MOST_DOWNS = FLAP_DOWNS;

let load: Load;
beforeAll(async () => {
  load = await Load.start();
});
afterAll(() => load.stop());

fault('F34', 'targets flap with each check: some need a recheck, some alert immediately', async () => {
  const each = repeats(3, 10);
  const flapping: string[] = [];
  const paths: string[] = [];
  for (let at = 0; at < each; at += 1) {
    for (const [kind, retries] of [['confirmed', 1], ['at-once', 0]] as const) {
      const path = `/${kind}/${at}`;
      paths.push(path);
      flapping.push(await load.watch(path, { confirmation_policy: { regions: 'majority', retries } }));
    }
  }
  // Answers alternate, 200, 503, 200, 503…, so a recheck finds the target up.
  for (const path of paths) load.target.choose(path, (count) => ({ status: count % 2 === 1 ? 200 : 503 }));
  await until(() => paths.every((path) => load.target.countOf(path) >= 16), { what: 'checks run' });
  for (const path of paths) load.target.answer({ status: 200 }, path);
  await until(async () => (await Promise.all(flapping.map((id) => load.statusOf(id)))).every(
    (status) => status === 'up',
  ), { what: 'all are up' });
  // The last recovery is reported once the status has been steady for a while.
  const isToldUp = (id: string) => load.told(id).at(-1)?.event === 'monitor.up';
  await until(
    () => flapping.every((id, index) => index % 2 === 0 || isToldUp(id)),
    { what: 'the last recoveries are reported' },
  );
  const results = await countResults(load);
  const incidents = await load.incidents();
  expect(incidents.filter((incident) => incident.status !== 'resolved')).toEqual([]);
  let [delivered, most] = [0, 0];
  for (const [index, id] of flapping.entries()) {
    const told = load.told(id);
    const downs = told.filter(({ event }) => event === 'monitor.down');
    if (index % 2 === 0) expect(downs, 'a successful recheck prevents an outage').toEqual([]);
    else {
      expect(incidents.filter((incident) => incident.check_id === id).length).toBeGreaterThan(FLAP_DOWNS);
      expect(downs.length).toBe(MOST_DOWNS);
      expect(told.at(-1)?.event, 'the last recovery is reported').toBe('monitor.up');
    }
    expect(new Set(told.map(({ event, incident }) => `${event} ${incident.id}`)).size).toBe(told.length);
    delivered += told.length;
    most = Math.max(most, told.length);
  }
  expect(most).toBeLessThanOrEqual(2 * MOST_DOWNS);
  return tell({
    injected: flapping.length, results, alerts: { expected: 2 * MOST_DOWNS * each, delivered, repeated: 0 },
  },
    `${incidents.length} outages of ${each} monitors; 0 of the ${each} with a recheck; alerts of one monitor at most ${most}, limit ${2 * MOST_DOWNS}`);
});
