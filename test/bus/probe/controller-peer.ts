import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, nkeyAuthenticator, type Msg, type NatsConnection } from 'nats';
import { createAccount, createCurve, fromPublic, type KeyPair } from 'nkeys.js';
import {
  assignmentDelta, signedText, syncRequest, type Assignment, type AssignmentChange, type SignedEnvelope,
} from '../../../shared/contracts/assignment.ts';
import { beat, type Beat } from '../../../shared/contracts/beat.ts';
import { enrolRequest, enrolText, type EnrolRequest } from '../../../shared/contracts/enrolment.ts';
import { decodeBatch } from '../../../shared/contracts/result-pack.ts';
import type { CheckResult, DroppedRange } from '../../../shared/contracts/result.ts';
import { probeOfSubject, shardOfSubject, subjects } from '../../../shared/contracts/subjects.ts';
import type { TestNats } from '../../helpers/nats-server.ts';

export interface ReceivedLane {
  results: CheckResult[];
  dropped: DroppedRange[];
  watermark: number;
}

export const PROBE_ID = '0198aaaa-0000-7000-8000-000000000001';
export const REGION = 'eu-test';
export const TOKEN = 'one-time-token-0123456789';

/**
 * A minimal controller by the contracts: it enrols one probe, sends it assignments and accepts lanes in
 * order.
 */
export class ControllerPeer {
  readonly #nats: TestNats;
  readonly #signer: KeyPair = createAccount();
  readonly #box: KeyPair = createCurve();
  #connection: NatsConnection | null = null;
  #server: Server | null = null;
  #probeBox = '';
  revision = 0;
  readonly assignments = new Map<string, Assignment>();
  readonly changes: { revision: number; change: AssignmentChange }[] = [];
  readonly lanes = new Map<string, ReceivedLane>();
  readonly beats: Beat[] = [];
  /** Evidence as received. */
  readonly evidence: Uint8Array[] = [];
  enrolments: EnrolRequest[] = [];
  syncs = 0;
  pageSize = 500;
  batches = 0;
  duplicates = 0;
  gaps = 0;
  refused: string[] = [];
  /** The response to a batch: accepted, ignored as if it was lost, or accepted without a response. */
  respondToBatch: (shard: number) => 'take' | 'lose' | 'mute' = () => 'take';
  /** Number of shards in the response to the enrolment. */
  shards = 16;
  tokenResponse: { status: number; body: unknown } | null = null;

  constructor(nats: TestNats) {
    this.#nats = nats;
  }

  async start(): Promise<void> {
    const seed = Buffer.from(this.#nats.controllerSeed);
    this.#connection = await connect({
      servers: this.#nats.url, authenticator: nkeyAuthenticator(seed), maxReconnectAttempts: -1,
      reconnectTimeWait: 50, reconnectJitter: 20, waitOnFirstConnect: true,
    });
    this.#connection.subscribe('results.>', { callback: (_error, message) => this.#takeBatch(message) });
    this.#connection.subscribe('sync.>', { callback: (_error, message) => this.#respondToSync(message) });
    this.#connection.subscribe(
      subjects.evidence(REGION, PROBE_ID), { callback: (_error, message) => void this.evidence.push(message.data) },
    );
    this.#connection.subscribe(
      'beat.>', { callback: (_error, message) => void this.beats.push(beat.parse(message.json())) },
    );
  }

  /** Serves enrolments on loopback; returns the controller's address. */
  async listen(port = 0): Promise<string> {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        void this.#enrol(Buffer.concat(chunks).toString('utf8')).then(({ status, body }) => {
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        });
      });
    });
    await new Promise<void>((resolve) => this.#server?.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Removes the probe's user from the server, or adds it again. */
  async revoke(isRevoked: boolean): Promise<void> {
    const [enrolment] = this.enrolments;
    await this.#nats.setUsers(isRevoked || !enrolment ? [] : [probeUserOf(enrolment.public_key)]);
  }

  async stop(): Promise<void> {
    await this.#connection?.close();
    await new Promise((resolve) => (this.#server ? this.#server.close(resolve) : resolve(null)));
  }

  /** Sets or removes a monitor and sends the change to the probe, as a controller does. */
  change(change: AssignmentChange, options: { announce?: boolean } = {}): void {
    if ('set' in change) this.assignments.set(change.set.monitor_id, change.set);
    else this.assignments.delete(change.gone);
    this.revision += 1;
    this.changes.push({ revision: this.revision, change });
    if (options.announce === false) return;
    this.publish(subjects.assign(REGION, PROBE_ID), this.seal(
      'assign',
      { from: this.revision - 1, revision: this.revision, reset: false, changes: [change], more: null },
    ));
  }

  publish(subject: string, envelope: SignedEnvelope): void {
    this.#connection?.publish(subject, JSON.stringify(envelope));
  }

  async order(content: unknown): Promise<CheckResult> {
    return (await this.ask(content) as { v: 1; result: CheckResult }).result;
  }

  /** The response to any order. */
  async ask(content: unknown, timeoutMs = 60_000): Promise<unknown> {
    const response = await (this.#connection as NatsConnection).request(
      subjects.run(REGION, PROBE_ID), JSON.stringify(this.seal('run', content)), { timeout: timeoutMs },
    );
    return response.json();
  }

  seal(
    purpose: SignedEnvelope['purpose'], content: unknown, overrides: Partial<SignedEnvelope> = {},
    signer = this.#signer,
  ): SignedEnvelope {
    const unsigned = {
      purpose, probe_id: PROBE_ID, revision: this.revision, expires_at: Date.now() + 3_600_000,
      payload: Buffer.from(this.#box.seal(Buffer.from(JSON.stringify(content)), this.#probeBox)).toString(
        'base64',
      ), ...overrides,
    };
    return { v: 1, ...unsigned, signature: overrides.signature ??
      Buffer.from(signer.sign(Buffer.from(signedText(unsigned)))).toString('base64url') };
  }

  /** All accepted results, of all lanes. */
  get results(): CheckResult[] {
    return [...this.lanes.values()].flatMap((lane) => lane.results);
  }

  async #enrol(text: string): Promise<{ status: number; body: unknown }> {
    const request = enrolRequest.parse(JSON.parse(text));
    this.enrolments.push(request);
    if (this.tokenResponse) return this.tokenResponse;
    const isSigned = fromPublic(request.public_key).verify(
      Buffer.from(enrolText(request)), Buffer.from(request.signature, 'base64url'),
    );
    if (!isSigned || request.token !== TOKEN) {
      return {
        status: 401,
        body: { success: false, error: { code: 'INVALID_TOKEN', message: 'The enrolment token is not valid' } },
      };
    }
    this.#probeBox = request.box_key;
    await this.#nats.setUsers([probeUserOf(request.public_key)]);
    return {
      status: 200,
      body: { success: true, data: {
        probe_id: PROBE_ID, name: 'test', region_id: REGION, nats_url: this.#nats.url,
        controller_key: this.#signer.getPublicKey(), controller_box_key: this.#box.getPublicKey(),
        shards: this.shards,
      } },
    };
  }

  #respondToSync(message: Msg): void {
    this.syncs += 1;
    const request = syncRequest.parse(message.json());
    const isReset = request.revision === 0 || request.revision > this.revision;
    const all: AssignmentChange[] = isReset
      ? [...this.assignments.values()].map((set) => ({ set }))
      : this.changes.filter((each) => each.revision > request.revision).map((each) => each.change);
    const from = Number(request.after ?? 0);
    const changes = all.slice(from, from + this.pageSize);
    const more = from + this.pageSize < all.length ? String(from + this.pageSize) : null;
    const delta = assignmentDelta.parse({
      from: request.revision, revision: this.revision, reset: isReset, changes, more,
    });
    message.respond(Buffer.from(JSON.stringify(this.seal('sync', delta))));
  }

  #takeBatch(message: Msg): void {
    const from = probeOfSubject(message.subject);
    if (from?.probeId !== PROBE_ID) return void this.refused.push(message.subject);
    const shard = shardOfSubject(message.subject) as number;
    const action = this.respondToBatch(shard);
    if (action === 'lose') return;
    const batch = decodeBatch(message.data);
    this.batches += 1;
    const key = `${batch.epoch}/${shard}`;
    const lane = this.lanes.get(key) ?? { results: [], dropped: [], watermark: 0 };
    this.lanes.set(key, lane);
    if (batch.first <= lane.watermark) this.duplicates += 1;
    if (batch.first > lane.watermark + 1) this.gaps += 1;
    else if (batch.last > lane.watermark) {
      lane.results.push(...batch.results.filter((result) => result.seq > lane.watermark));
      lane.dropped.push(...batch.dropped.filter((range) => range.last > lane.watermark));
      lane.watermark = batch.last;
    }
    if (action === 'take') message.respond(Buffer.from(JSON.stringify({ v: 1, watermark: lane.watermark })));
  }
}

function probeUserOf(publicKey: string): object {
  const own = `${REGION}.${PROBE_ID}`;
  return {
    nkey: publicKey,
    permissions: {
      publish: { allow: [`results.*.${own}`, `sync.${own}`, `beat.${own}`, `evidence.${own}`] },
      subscribe: { allow: [`assign.${own}`, `run.${own}`, `_INBOX_${PROBE_ID}.>`] },
      allow_responses: { max: 1, expires: '60s' },
    },
  };
}

/** Fails unless every lane is complete: each number once, as a result or in a dropped range. */
export function lanesWhole(peer: ControllerPeer): void {
  for (const [key, lane] of peer.lanes) {
    const seqs = new Set(lane.results.map((result) => result.seq));
    if (seqs.size !== lane.results.length) throw new Error(`${key}: a number came twice`);
    for (const range of lane.dropped) for (let seq = range.first; seq <= range.last; seq += 1) seqs.add(seq);
    if (seqs.size !== lane.watermark) throw new Error(`${key}: ${seqs.size} of ${lane.watermark}`);
  }
}

/**
 * Fails unless every slot of the monitor, from its first to its last known one, has one result or is
 * in one missed record.
 */
export function slotsWhole(peer: ControllerPeer, monitor: Assignment): { results: number; missed: number } {
  const { interval_ms: interval, phase_ms: phase } = monitor;
  const counts = new Map<number, number>();
  let missed = 0;
  for (const result of peer.results) {
    const isSlot = (result.scheduled_at - phase) % interval === 0;
    if (result.monitor_id !== monitor.monitor_id || result.attempt !== 1 || result.reason !== 'schedule' ||
      !isSlot) {
      continue;
    }
    const count = result.missed?.count ?? 1;
    if (result.missed) missed += count;
    for (let at = 0; at < count; at += 1) {
      const slot = result.scheduled_at + at * interval;
      counts.set(slot, (counts.get(slot) ?? 0) + 1);
    }
  }
  const slots = [...counts.keys()].sort((a, b) => a - b);
  const [first = 0] = slots;
  slots.forEach((slot, at) => {
    if (slot !== first + at * interval) {
      throw new Error(`${monitor.monitor_id}: slot ${first + at * interval} has neither result nor reason`);
    }
    if (counts.get(slot) !== 1) {
      throw new Error(`${monitor.monitor_id}: slot ${slot} is recorded ${counts.get(slot)} times`);
    }
  });
  return { results: slots.length - missed, missed };
}
