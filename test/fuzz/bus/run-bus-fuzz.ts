import { Writable } from 'node:stream';
import { MongoClient } from 'mongodb';
import { pino } from 'pino';
import { encodeBatch } from '../../../shared/contracts/result-pack.ts';
import { batchResponse } from '../../../shared/contracts/result.ts';
import { subjects } from '../../../shared/contracts/subjects.ts';
import { ApiSession } from '../../helpers/api-session.ts';
import { startControllerRig, type ControllerRig } from '../../helpers/controller-rig.ts';
import { passTime } from '../../helpers/pass-time.ts';
import { startReceiver, type Receiver } from '../../helpers/receiver.ts';
import type { TestProbe } from '../../helpers/test-probe.ts';
import { until } from '../../helpers/until.ts';
import { checked } from '../../faults/sender.ts';
import { Random } from '../../simulation/random.ts';
import { HostileMessages } from './hostile-message.ts';
import { shardMap } from '../../helpers/shard-map.ts';

export interface BusFuzzReport {
  seed: number;
  messages: number;
  bytes: number;
  /** Dead letters left by the attack. */
  letters: number;
  /** Effects of the attack on others; empty if there were none. */
  faults: string[];
}

const VICTIMS = 6;
const BAITS = 20;
/** Below a probe's rate limit, so that nearly every message is processed. */
const BURST_BYTES = 60_000;
const PAUSE_MS = 100;
/** The victim's probe reports once per this many pauses: each report may wait a second for the journal. */
const PAUSES_PER_REPORT = 20;
const PAUSES_PER_LINE = 100;

/**
 * Publishes random messages as an enrolled probe while another tenant's probe reports, then compares what that tenant
 * sees with what its probe reported. The seed determines the messages except ids and times.
 */
export async function runBusFuzz(
  seed: number, messages: number, progress: (line: string) => void = () => undefined,
): Promise<BusFuzzReport> {
  const run = await BusFuzz.open(progress);
  try {
    return await run.all(seed, messages);
  } finally {
    await run.stop();
  }
}

class BusFuzz {
  readonly #rig: ControllerRig;
  readonly #receiver: Receiver;
  readonly #victim: TestProbe;
  readonly #hostile: TestProbe;
  readonly #client: MongoClient;
  readonly #lines: string[];
  readonly #beats: NodeJS.Timeout;
  readonly #attacker: ApiSession;
  readonly #progress: (line: string) => void;
  #victims: string[] = [];
  #baits: string[] = [];
  /** Results reported per monitor of the victim. */
  readonly #reported = new Map<string, number>();
  readonly #faults: string[] = [];

  private constructor(
    parts: { rig: ControllerRig; receiver: Receiver; client: MongoClient; lines: string[]; attacker: ApiSession;
      progress(line: string): void },
    victim: TestProbe, hostile: TestProbe,
  ) {
    this.#rig = parts.rig;
    this.#receiver = parts.receiver;
    this.#client = parts.client;
    this.#lines = parts.lines;
    this.#attacker = parts.attacker;
    this.#progress = parts.progress;
    this.#victim = victim;
    this.#hostile = hostile;
    this.#beats = setInterval(() => [victim, hostile].forEach((probe) => {
      if (!probe.nats.isClosed()) probe.beat();
    }), 2000);
  }

  static async open(progress: (line: string) => void): Promise<BusFuzz> {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, new Writable({
      write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()),
    }));
    const env = { REGISTRATION: 'open', ALLOW_PRIVATE_DESTINATIONS: 'true' };
    const [rig, receiver] = await Promise.all([startControllerRig(env, undefined, log), startReceiver()]);
    const client = await MongoClient.connect(rig.store.url);
    const attacker = await new ApiSession(rig.controller.url).begin('attacker@example.com');
    await client.db().collection('users').updateMany({}, { $set: { email_verified: true } });
    await attacker.ok('POST', '/api/regions', { id: 'attackers', name: 'A', city: 'There', country: 'FR' });
    const victim = await rig.probe('honest');
    const hostile = await rig.probe('hostile', { session: attacker, region: 'attackers' });
    for (const probe of [victim, hostile]) await probe.follow();
    return new BusFuzz({ rig, receiver, client, lines, attacker, progress }, victim, hostile);
  }

  async all(seed: number, messages: number): Promise<BusFuzzReport> {
    await this.#rig.session.ok('POST', '/api/integrations', {
      name: 'On call', type: 'webhook', is_default: true, config: { url: this.#receiver.url },
    });
    this.#victims = await createMonitors(this.#rig.session, this.#victim, VICTIMS);
    this.#baits = await createMonitors(this.#attacker, this.#hostile, BAITS, ['attackers']);
    const bytes = await this.#attack(new HostileMessages(new Random(seed), {
      own: this.#baits, foreign: this.#victims,
    }), messages);
    this.#progress('all sent; judging');
    await this.#verify('after the attack');
    this.#progress('restarting the controller');
    await this.#rig.restart(async () => undefined);
    await this.#verify('after a restart');
    const letters = await this.#client.db().collection('dead_letters').countDocuments({});
    this.#faults.push(...internalErrors(this.#lines));
    return { seed, messages, bytes, letters, faults: this.#faults };
  }

  async stop(): Promise<void> {
    clearInterval(this.#beats);
    await this.#client.close();
    await this.#rig.stop();
    await this.#receiver.close();
  }

  async #attack(hostile: HostileMessages, messages: number): Promise<number> {
    const { region_id: region, probe_id: id } = this.#hostile.enrolment as { region_id: string; probe_id: string };
    let total = 0;
    let burstBytes = 0;
    let pauses = 0;
    for (let sent = 0; sent < messages; sent += 1) {
      const message = hostile.next(Date.now());
      const subject = message.to === 'results'
        ? subjects.results(message.shard, region, id)
        : subjects[message.to](region, id);
      this.#hostile.nats.publish(subject, message.bytes, { reply: `_INBOX_${id}.fuzz` });
      total += message.bytes.length;
      burstBytes += message.bytes.length;
      if (burstBytes < BURST_BYTES) continue;
      burstBytes = 0;
      await this.#hostile.nats.flush();
      if (pauses % PAUSES_PER_REPORT === 0) await this.#report(true);
      pauses += 1;
      if (pauses % PAUSES_PER_LINE === 0) this.#progress(`${sent + 1} of ${messages} messages`);
      await passTime(PAUSE_MS);
    }
    await this.#hostile.nats.flush();
    return total;
  }

  /** The victim's probe reports one result per monitor, and resends it until acknowledged. */
  async #report(isUp: boolean, monitors = this.#victims): Promise<void> {
    await Promise.all(monitors.map(async (id) => {
      const seq = (this.#reported.get(id) ?? 0) + 1;
      this.#reported.set(id, seq);
      const { region_id, probe_id } = this.#victim.enrolment as { region_id: string; probe_id: string };
      const result = { ...checked(id, Date.now(), isUp), seq };
      const batch = { epoch: id, engine: 'honest', first: seq, last: seq, results: [result], dropped: [] };
      const subject = subjects.results(shardMap.of(id), region_id, probe_id);
      const isTaken = await until(async () => {
        const response = await this.#victim.nats.request(subject, encodeBatch(batch), { timeout: 2000 })
          .catch(() => null);
        return response && batchResponse.parse(JSON.parse(Buffer.from(response.data).toString())).watermark >= seq;
      }, { what: `result ${seq} of ${id} is taken` }).catch(() => false);
      if (!isTaken) this.#faults.push(`a result of ${id} was not taken`);
    }));
  }

  /** Everything reported is counted, every outage is an incident with an alert, and there is nothing else. */
  async #verify(when: string): Promise<void> {
    const { url } = this.#rig.controller;
    await this.#expect(`${when}: the controller is ready`,
      async () => (await fetch(`${url}/readyz`)).status === 200);
    await this.#report(true);
    for (const id of this.#victims) {
      await this.#expect(`${when}: all ${this.#reported.get(id)} results of ${id} are counted`, async () => {
        const { data } = await this.#rig.session.call('GET', `/api/monitors/${id}/stats`);
        return Number(data?.['total_checks']) === this.#reported.get(id);
      });
    }
    await this.#expect(`${when}: only the attacker has the attacker's evidence`, async () => {
      const found = async (session: ApiSession, ids: string[]) => (await Promise.all(ids.map((id) =>
        session.ok<{ evidence: object[] }>('GET', `/api/monitors/${id}/evidence`)))).flatMap((one) => one.evidence);
      return (await found(this.#rig.session, this.#victims)).length === 0
        && (await found(this.#attacker.at(url), this.#baits)).length > 0;
    });
    const [outageMonitor] = this.#victims as [string];
    const alerts = () => this.#receiver.requests
      .map(({ body }) => JSON.parse(String(body)) as { event: string; monitor: { id: string } });
    const before = alerts().length;
    for (let failures = 0; failures < 3; failures += 1) await this.#report(false, [outageMonitor]);
    await this.#expect(`${when}: an outage is alerted`,
      async () => alerts().slice(before).some(({ event }) => event === 'monitor.down'));
    await this.#report(true, [outageMonitor]);
    await this.#expect(`${when}: its end is alerted`,
      async () => alerts().slice(before).some(({ event }) => event === 'monitor.up'));
    for (const { event, monitor } of alerts().slice(before)) {
      if (monitor.id !== outageMonitor) this.#faults.push(`${when}: ${event} of ${monitor.id}, which was never down`);
    }
  }

  async #expect(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    await until(isTrue, { what }).catch(() => this.#faults.push(`not true: ${what}`));
  }
}

/** Monitors assigned to this probe. */
async function createMonitors(session: ApiSession, probe: TestProbe, count: number, regions = ['local']): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { monitor } = await session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name: `m${at}`, type: 'HTTP', target: 'http://192.0.2.1/', interval_seconds: 300,
      monitoring_regions: regions, confirmation_policy: { retries: 1 },
    });
    ids.push(monitor.id);
  }
  await until(() => ids.every((id) => probe.held.has(id)), { what: 'monitors are assigned' });
  return ids;
}

function internalErrors(lines: string[]): string[] {
  const errors = lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
  return [...new Set(errors.map((line) => `logged: ${line.slice(0, 600)}`))].slice(0, 10);
}
