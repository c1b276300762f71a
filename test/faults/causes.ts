import { afterEach, expect } from 'vitest';
import { passTime } from '../helpers/pass-time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { startReceiver, type Receiver } from '../helpers/receiver.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import type { Load } from './load.ts';
import { repeats, SEED, toOutcome } from './tally.ts';

/** Of each server: as many of one of its programs as of the other. */
const MONITORS = 4;
/** Longer than from an outage to the summary. */
const MAX_DELAY_MS = 8000;

/** The controller is killed while a destination that groups is notified of a cause. */
export function causeKills(on: { readonly load: Load }): void {
  const open: (Receiver | Target)[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  async function startServer(host: string, destination: string) {
    const [one, other] = await Promise.all([startTarget(host), startTarget(host)]);
    open.push(one, other);
    const ids = await Promise.all(Array.from({ length: MONITORS }, (_, at) => on.load.createMonitor(`/${at}`, {
      name: `m${at}`, target: (at % 2 === 0 ? one : other).url, notification_target_ids: [destination],
    })));
    for (const id of ids) await until(async () => await on.load.statusOf(id) === 'up', { what: 'up' });
    return { one, other, ids };
  }

  /** What the receiver got about these monitors, without durations and errors. */
  function subjectsOf({ requests }: Receiver, ids: string[]): string[] {
    const alerts = requests.map(({ body }) => JSON.parse(String(body)) as { subject: string; monitor: { id: string } });
    return alerts.filter(({ monitor }) => ids.includes(monitor.id))
      .map(({ subject }) => subject.replace(/ — .*| after .*/, ''));
  }

  const areSettled = async (incidentIds: string[]) => (await Promise.all(incidentIds.map(async (id) => {
    const log = await on.load.session.ok<{ notifications: { status: string }[] }>('GET', `/api/incidents/${id}/notifications`);
    return log.notifications.length > 1 && log.notifications.every(({ status }) => status === 'delivered');
  }))).every(Boolean);

  fault('F68', 'the controller is killed between the first alert of a cause and its summary, or at random', async () => {
    const kills = repeats(1, 6);
    const random = randomOf(SEED);
    const { session, farwatch } = on.load;
    const receiver = await startReceiver();
    open.push(receiver);
    const { integration } = await session.ok<{ integration: { id: string } }>('POST', '/api/integrations', {
      name: 'Grouped', type: 'webhook', config: { url: receiver.url }, grouping: 'auto',
    });
    let [opened, delivered, repeated] = [0, 0, 0];
    for (let round = 0; round < kills; round += 1) {
      const host = `127.6.${round}.1`;
      const { one, other, ids } = await startServer(host, integration.id);
      const subjects = () => subjectsOf(receiver, ids);
      const isBetween = round === 0;
      await one.refuse();
      if (isBetween) await until(() => subjects().length > 0, { what: 'the first alert' });
      else {
        await other.refuse();
        await passTime(random() * MAX_DELAY_MS);
      }
      const killed = await farwatch.kill9('controller');
      // Before it, too few monitors fail for a summary.
      if (isBetween) await other.refuse();
      await farwatch.replaced('controller', killed);
      const summary = `[DOWN] ${MONITORS} monitors behind ${host} are down`;
      await until(() => subjects().includes(summary), { what: 'the summary' });
      await Promise.all([one.listen(), other.listen()]);
      const end = `[UP] ${MONITORS} monitors behind ${host} are back up`;
      await until(() => subjects().includes(end), { what: 'the end' });
      const incidents = await on.load.incidents(ids);
      await until(() => areSettled(incidents.map(({ id }) => id)), { what: 'all deliveries are recorded' });
      const different = [...new Set(subjects())];
      expect(different).toEqual([expect.stringMatching(/^\[DOWN\] m\d$/), summary, end]);
      opened += incidents.length;
      delivered += different.length;
      repeated += subjects().length - different.length;
    }
    expect(opened).toBe(MONITORS * kills);
    expect(repeated).toBeLessThanOrEqual(kills);
    return toOutcome({
      injected: kills, incidents: { expected: MONITORS * kills, opened },
      alerts: { expected: 3 * kills, delivered, repeated }, deaths: await farwatch.deaths(), seed: SEED,
    });
  });
}
