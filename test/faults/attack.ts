import { MongoClient, type Document } from 'mongodb';
import { expect } from 'vitest';
import type { EnrolResponse } from '../../shared/contracts/enrolment.ts';
import { batchResponse, type ResultBatch } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { ApiSession } from '../helpers/api-session.ts';
import { storeUrl } from '../helpers/ledger.ts';
import { TestProbe } from '../helpers/test-probe.ts';
import { until } from '../helpers/until.ts';
import { Load } from './load.ts';
import { repeats, type Tally } from './tally.ts';
import { shardMap } from '../helpers/shard-map.ts';

const VICTIMS = 8;
export const SHARDS = [...shardMap.all];

/**
 * An installation of real processes with two tenants: a victim, whose monitors the installation's own probe
 * checks, and an attacker with its own probe credential on the real NATS.
 */
export class Attack {
  readonly load: Load;
  readonly session: ApiSession;
  readonly probe: TestProbe;
  /** The victim's monitors. */
  readonly victims: string[];
  #beats: NodeJS.Timeout | null = null;
  /** Number of the victim's outages so far. */
  #outages = 0;

  private constructor(load: Load, session: ApiSession, probe: TestProbe, victims: string[]) {
    this.load = load;
    this.session = session;
    this.probe = probe;
    this.victims = victims;
  }

  static async start(env: Record<string, string> = {}): Promise<Attack> {
    const load = await Load.start({ REGISTRATION: 'open', PROBE_ALLOW_PRIVATE: 'true', ...env });
    const session = await new ApiSession(load.farwatch.url).begin('attacker@example.com');
    await inStore(load, (db) => db('users').updateMany({}, { $set: { email_verified: true } }));
    const region = { id: 'attackers', name: 'Attackers', city: 'There', country: 'FR' };
    await session.ok('POST', '/api/regions', region);
    const { enrolment_token: token } = await session.ok<{ enrolment_token: string }>(
      'POST', '/api/probes', { region_id: region.id, name: 'hostile' },
    );
    const probe = new TestProbe();
    probe.enrolment = await session.ok<EnrolResponse>('POST', '/api/probes/enrol', probe.request(token));
    // Attacks are on NATS itself, not on the relay before it.
    const [address] = /(?<=NATS: nats-server \S+ on )[\d.:]+/.exec(load.farwatch.log()) ?? [];
    await probe.connect(`nats://${address}`);
    const attack = new Attack(load, session, probe, await load.steady(VICTIMS, 'victim'));
    await probe.follow();
    attack.#beats = setInterval(() => probe.beat(), 2000);
    probe.beat();
    return attack;
  }

  /** A monitor of the attacker, as soon as it is assigned to the attacker's probe. */
  async bait(name: string): Promise<string> {
    const { monitor } = await this.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name, type: 'HTTP', target: 'http://192.0.2.1/', interval_seconds: 60,
      monitoring_regions: [this.region],
    });
    await until(() => this.probe.held.has(monitor.id), { what: 'the assignment of the monitor' });
    return monitor.id;
  }

  get region(): string {
    return this.probe.enrolment?.region_id ?? '';
  }

  get id(): string {
    return this.probe.enrolment?.probe_id ?? '';
  }

  /** Sends a batch as the attacker's probe. Returns the watermark of the response, or null without one. */
  async send(shard: number, bytes: Uint8Array | string, timeoutMs = 10_000): Promise<number | null> {
    try {
      const subject = subjects.results(shard, this.region, this.id);
      const { data } = await this.probe.nats.request(subject, bytes, { timeout: timeoutMs });
      return batchResponse.parse(JSON.parse(Buffer.from(data).toString())).watermark;
    } catch {
      return null;
    }
  }

  /** Sends a batch without waiting for a response. */
  sendWithoutWaiting(shard: number, bytes: Uint8Array | string): void {
    this.probe.nats.publish(subjects.results(shard, this.region, this.id), bytes);
  }

  /** Documents of a collection of the installation. */
  documents(collection: string, filter: Document = {}): Promise<Document[]> {
    return inStore(this.load, (db) => db(collection).find(filter).limit(1000).toArray());
  }

  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.load.farwatch.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
  }

  /**
   * Asserts that the victim's monitors are checked on schedule, that an outage is alerted and ends, also after a
   * restart of the controller, which loses nothing; that each check of the victim is counted once, and no process ended
   * unexpectedly. Returns the counts. In `npm test`, the last of several attacks (`isLast`) asserts all but the schedule
   * for all of them, because the data they stored is still there.
   */
  async expectUnharmed(name: string, isLast = repeats(false, true)): Promise<Omit<Tally, 'injected'>> {
    await this.#expectRhythm();
    if (!isLast) return {};
    const outages = [await this.#expectAlert(`/${name}-before`), await this.#afterRestart(name)];
    const opened = (await this.load.incidents()).length - this.#outages;
    this.#outages += outages.length;
    expect(opened, 'incidents of the victim').toBe(outages.length);
    const results = await this.#expectCounted();
    const deaths = await this.load.farwatch.deaths();
    expect(deaths, 'processes that ended unexpectedly, and unhandled rejections').toBe(0);
    const alerts = { expected: 2 * outages.length, delivered: 2 * outages.length, repeated: 0 };
    return { results, incidents: { expected: outages.length, opened }, alerts, deaths };
  }

  /** Restarts the controller; resolves to the monitor of another outage when that is over. */
  async #afterRestart(name: string): Promise<string> {
    const counted = await Promise.all(this.victims.map((id) => this.load.checksOf(id)));
    const { farwatch } = this.load;
    await farwatch.replaced('controller', await farwatch.kill9('controller'));
    await until(async () => (await fetch(`${farwatch.url}/readyz`).catch(() => null))?.status === 200, {
      what: 'ready after the restart',
    });
    await until(async () => {
      const now = await Promise.all(this.victims.map((id) => this.load.checksOf(id)));
      return now.every((count, at) => count > (counted[at] as number));
    }, { what: 'every victim has more results than before the restart' });
    return this.#expectAlert(`/${name}-after`);
  }

  /** Stops the victim's checks until the API counts those that the target saw. */
  async #expectCounted() {
    const { load } = this;
    const all = (action: string) =>
      load.session.ok('POST', '/api/monitors/bulk', { action, monitor_ids: load.ids });
    await all('pause');
    const counts = await until(async () => {
      const pairs = await Promise.all(load.ids.map(async (id) => [load.countOf(id), await load.checksOf(id)]));
      return pairs.every(([seen, counted]) => seen === counted) && pairs;
    }, { what: 'each check of the victim is counted once' });
    await all('resume');
    const issued = counts.reduce((sum, [seen]) => sum + (seen ?? 0), 0);
    return { issued, stored: issued, lost: 0, duplicated: 0 };
  }

  async #expectRhythm(): Promise<void> {
    const before = await Promise.all(this.victims.map((id) => this.load.checksOf(id)));
    await until(async () => {
      const now = await Promise.all(this.victims.map((id) => this.load.checksOf(id)));
      return now.every((count, at) => count >= (before[at] as number) + 2);
    }, { what: 'results of every victim are stored' });
  }

  async #expectAlert(path: string): Promise<string> {
    const { load } = this;
    const id = await load.createMonitor(path, { confirmation_policy: { retries: 1 } });
    await until(() => load.countOf(id) > 1, { what: 'its first checks' });
    load.target.respondWith({ status: 503 }, path);
    await until(() => load.alertsOf(id).some(({ event }) => event === 'monitor.down'), { what: 'monitor.down' });
    load.target.respondWith({ status: 200 }, path);
    await until(() => load.alertsOf(id).some(({ event }) => event === 'monitor.up'), { what: 'monitor.up' });
    expect(load.alertsOf(id).map(({ event }) => event)).toEqual(['monitor.down', 'monitor.up']);
    return id;
  }

  async stop(): Promise<void> {
    if (this.#beats) clearInterval(this.#beats);
    await this.probe.stop();
    await this.load.stop();
  }
}

type Collections = (name: string) => ReturnType<ReturnType<MongoClient['db']>['collection']>;

async function inStore<T>(load: Load, work: (db: Collections) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(storeUrl(load.farwatch.log()));
  try {
    return await work((name) => client.db('farwatch').collection(name));
  } finally {
    await client.close();
  }
}

/** A batch without results that only declares a range of the lane as lost. */
export function droppedBatch(epoch: string, first: number, last: number): ResultBatch {
  return { epoch, engine: 'test', first, last, results: [], dropped: [{ first, last, reason: 'trimmed' }] };
}
