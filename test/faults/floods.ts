import { expect } from 'vitest';
import { subjects } from '../../shared/contracts/subjects.ts';
import { until } from '../helpers/until.ts';
import type { Attack } from './attack.ts';
import { fault } from './fault.ts';
import { repeats, toOutcome } from './tally.ts';

/** A probe sends far more messages than allowed. */
export function floods(on: { readonly attack: Attack }): void {
  const ignored = (subject: string): Promise<number> =>
    on.attack.metric(`farwatch_probe_rate_exceeded_total\\{subject="${subject}"\\}`);

  /** Queries the API until `isOver`: it may be slower, but rejects nothing. Returns the number of responses. */
  async function served(isOver: () => Promise<boolean>): Promise<number> {
    let count = 0;
    await until(async () => {
      const { status } = await on.attack.load.session.call('GET', '/api/monitors');
      if (status !== 200) throw new Error(`the API returned ${status}`);
      count += 1;
      return isOver();
    });
    return count;
  }

  const BEATS = repeats(1600, 20_000);
  const REQUESTS = repeats(1000, 10_000);

  fault('F53', `a probe sends ${BEATS} beats with a wrong revision`, async () => {
    const statuses: number[] = [];
    const before = await ignored('beat');
    for (let round = 0; round < 4; round += 1) {
      for (let at = 0; at < BEATS / 4; at += 1) on.attack.probe.beat({ revision: 77 + at });
      await on.attack.probe.nats.flush();
      statuses.push((await on.attack.load.session.call('GET', '/api/monitors')).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200]);
    await served(async () => (await ignored('beat')) - before > BEATS - 1000);
    const unharmed = await on.attack.expectUnharmed('beats');
    return toOutcome({ injected: BEATS, ...unharmed },
      `${(await ignored('beat')) - before} beats ignored; the API responded throughout`);
  });

  fault('F54', `a probe requests its assignments ${REQUESTS} times at once`, async () => {
    const dropped = () => on.attack.metric('farwatch_sync_dropped_total');
    const withoutResponse = async () => (await ignored('sync') || 0) + (await dropped() || 0);
    const before = await withoutResponse();
    const inbox = `_INBOX_${on.attack.id}.flood`;
    let responses = 0;
    on.attack.probe.nats.subscribe(inbox, { callback: () => (responses += 1) });
    const request = JSON.stringify({ v: 1, revision: 0, after: null });
    const statuses: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      for (let at = 0; at < REQUESTS / 10; at += 1) {
        on.attack.probe.nats.publish(subjects.sync(on.attack.region, on.attack.id), request, { reply: inbox });
      }
      await on.attack.probe.nats.flush();
      statuses.push((await on.attack.load.session.call('GET', '/api/monitors')).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
    await served(async () => responses + (await withoutResponse()) - before === REQUESTS);
    const unharmed = await on.attack.expectUnharmed('sync', true);
    return toOutcome({ injected: REQUESTS, ...unharmed }, `${responses} requests got a response; the API responded throughout`);
  });
}
