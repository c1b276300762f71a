import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { allArrived } from '../helpers/all-arrived.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { askOn, kindsOf, slowest } from '../helpers/ask-on.ts';
import { startFarwatch, type Farwatch } from '../helpers/farwatch.ts';
import { readLedger, slotFaults, storeUrl } from '../helpers/ledger.ts';
import { passTime } from '../helpers/pass-time.ts';
import { startTarget, type Target } from '../helpers/target.ts';
import { until } from '../helpers/until.ts';

const MONITORS = 100;
const INTERVAL_MS = 1000;
const KILLS = 5;
/** What the API promises while the database is away. */
const ANSWER_WITHIN_MS = 5000;

describe(`the database killed ${KILLS} times while results come in`, () => {
  let farwatch: Farwatch;
  let target: Target;
  let session: ApiSession;
  const ids: string[] = [];

  beforeAll(async () => {
    const env = { MIN_INTERVAL_SECONDS: '1', RATE_LIMIT: '1000000', LOG_LEVEL: 'info' };
    [farwatch, target] = await Promise.all([startFarwatch({ env }), startTarget()]);
    session = await new ApiSession(farwatch.url).begin();
    for (let at = 0; at < MONITORS; at += 1) {
      const made = await session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', { name: `m${at}`, type: 'HTTP', target: `${target.url}/${at}`, interval_seconds: 1 });
      ids.push(made.monitor.id);
    }
    await until(() => target.count > 3 * MONITORS, { what: 'checks run' });
  });
  afterAll(async () => {
    await Promise.all([farwatch.stop(), target.close()]);
  });

  test('the API answers 503 in time while it is away, and works again when it is back', async () => {
    const asking = askOn(async () => {
      const { status, error } = await session.call('GET', '/api/monitors?limit=5');
      return { status, code: error?.code ?? null };
    });
    onTestFinished(async () => void (await asking.end()));
    const controller = await farwatch.pid('controller');
    for (let round = 0; round < KILLS; round += 1) {
      const killed = await farwatch.kill9('embedded-mongo');
      await farwatch.replaced('embedded-mongo', killed);
      const back = asking.answers.length;
      await until(() => asking.answers.slice(back).some((answer) => answer.status === 200), { what: 'the API works again' });
      await passTime(1500);
    }
    const answers = await asking.end();
    expect(kindsOf(answers)).toEqual(['200', '503 SERVICE_UNAVAILABLE']);
    expect(slowest(answers)).toBeLessThan(ANSWER_WITHIN_MS);
    expect(await farwatch.pid('controller'), 'the controller outlived it').toBe(controller);
  });

  test('nothing is lost and nothing is stored twice', async () => {
    // A connection of the pool that has not been used since the last kill may still have to be found dead.
    await Promise.all(ids.map((id) => until(async () => (await session.call('POST', `/api/monitors/${id}/pause`)).status === 200, { what: 'paused' })));
    await allArrived(session);
    const ledger = await readLedger(storeUrl(farwatch.log()));
    expect(ledger.holes).toEqual([]);
    expect(ledger.byMonitor.size).toBe(MONITORS);
    const faults = [...ledger.byMonitor].map(([id, results]) => ({ id, ...slotFaults(results, INTERVAL_MS) }));
    expect(faults.filter((fault) => fault.unexplained.length > 0 || fault.doubled.length > 0)).toEqual([]);
    const { monitors } = await session.ok<{ monitors: { id: string; stats?: { totalChecks: number } }[] }>('GET', '/api/monitors?limit=100');
    const counted = new Map(monitors.map((monitor) => [monitor.id, monitor.stats?.totalChecks ?? 0]));
    expect(counted).toEqual(new Map([...ledger.byMonitor].map(([id, results]) => [id, results.filter((result) => result.outcome !== 'missed').length])));
  });

  test('no outage was made up', async () => {
    expect((await session.ok<{ incidents: unknown[] }>('GET', '/api/incidents?limit=100')).incidents).toEqual([]);
  });
});
