import { decodeJson } from '../../shared/contracts/bytes.ts';
import {
  rotateResponse, rotationText, type OfferedKeys, type RotateOrder,
} from '../../shared/contracts/key-rotation.ts';
import type { Log } from '../../shared/log.ts';
import { sleep, type Clock } from '../../shared/time.ts';
import { isBoxKey, isSignedByOwnerOf } from '../platform/bus/nkeys.ts';
import { isDuplicateKey } from '../platform/mongo/mongo-errors.ts';
import { FairQueue } from '../work/fair-queue.ts';
import type { FleetDirectory } from './directory.ts';
import { IgnoredMessages } from './ignored-messages.ts';
import { isEnrolled, type EnrolledProbe, type ProbeDoc } from './probe.ts';
import type { ProbeStore } from './store.ts';

/** Per organization. An unresponsive probe takes 5 s. The next run repeats rejected work. */
const LIMITS = {
  maxRunning: 8, maxRunningPerKey: 2, maxWaiting: 1000, maxWaitingPerKey: 200, maxWaitMs: 60_000,
};
/** The key of probes in regions without an organization. */
const SHARED = 'shared';
/** Consecutive orders to one probe; the next run does the rest. */
const MAX_ORDERS = 5;
/** NATS may need a moment to accept the keys that a probe has offered. */
const ORDER_PAUSE_MS = 500;
const MAX_RESPONSE_BYTES = 4096;

class Refused extends Error {}

interface RotationDeps {
  probes: Pick<ProbeStore, 'find' | 'offerKeys' | 'adoptKeys' | 'isKeyTaken'>;
  /** Resolves to the probe's response; rejects if there is none. */
  order(probe: EnrolledProbe, order: RotateOrder): Promise<Uint8Array>;
  /** Resolves once NATS accepts the probes as stored after the call. */
  publishIdentities(): Promise<void>;
  directory: Pick<FleetDirectory, 'refresh'>;
  clock: Clock;
  log: Log;
}

/**
 * Replaces probe keys without downtime: the probe offers new keys, NATS accepts both, the probe reconnects
 * with the new ones, and the old ones are rejected. Any controller can repeat each step.
 */
export class KeyRotations {
  readonly #deps: RotationDeps;
  readonly #queue: FairQueue;
  /** Probes running or queued. */
  readonly #inProgress = new Set<string>();
  readonly #failures: IgnoredMessages;
  #isStopped = false;

  constructor(deps: RotationDeps) {
    const { clock, log } = deps;
    this.#deps = deps;
    this.#queue = new FairQueue(clock, LIMITS, () => new Refused());
    this.#failures = new IgnoredMessages({ clock, log, reason: 'a probe has not rotated its keys yet' });
  }

  /** Continues the rotation of a probe's keys; returns at once. */
  advance({ _id: probeId, organization_id }: Pick<ProbeDoc, '_id' | 'organization_id'>): void {
    if (this.#inProgress.has(probeId)) return;
    this.#inProgress.add(probeId);
    void this.#queue.run(organization_id ?? SHARED, () => this.#sendOrders(probeId))
      .catch((error: unknown) => {
        if (!this.#isStopped && !(error instanceof Refused)) this.#failures.add(probeId, { err: error });
      })
      .finally(() => this.#inProgress.delete(probeId));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #sendOrders(probeId: string): Promise<void> {
    for (let sent = 0; sent < MAX_ORDERS && !this.#isStopped; sent += 1) {
      const probe = await this.#deps.probes.find(probeId);
      if (!probe || !isEnrolled(probe) || !isRotating(probe)) return;
      if (sent > 0) await sleep(this.#deps.clock, ORDER_PAUSE_MS);
      await this.#order(probe);
    }
  }

  async #order(probe: EnrolledProbe): Promise<void> {
    const { public_key: known, next_public_key: next = null } = probe;
    const bytes = await this.#deps.order(probe, { rotate: { known, next } });
    const response = decodeJson(rotateResponse, bytes, MAX_RESPONSE_BYTES);
    if (!response) throw new Error('the response of the probe cannot be parsed');
    if (response.uses !== known) await this.#adopt(probe, response.uses);
    else if (response.next && response.next.public_key !== next) await this.#accept(probe, response.next);
  }

  async #accept(probe: EnrolledProbe, offer: OfferedKeys): Promise<void> {
    const { probes, publishIdentities } = this.#deps;
    const { public_key, box_key, by_known, by_next } = offer;
    const text = rotationText(probe._id, probe.public_key, offer);
    const isSigned =
      isSignedByOwnerOf(probe.public_key, text, by_known) && isSignedByOwnerOf(public_key, text, by_next);
    if (!isSigned || !isBoxKey(box_key)) throw new Error('the signature of the offered keys is not valid');
    if (await probes.isKeyTaken(public_key)) throw new Error('the offered key belongs to another probe');
    await probes.offerKeys(probe._id, probe.public_key, { public_key, box_key }).catch((error: unknown) => {
      throw isDuplicateKey(error) ? new Error('another probe offered the same key') : error;
    });
    await publishIdentities();
  }

  async #adopt(probe: EnrolledProbe, used: string): Promise<void> {
    const { probes, publishIdentities, directory, clock, log } = this.#deps;
    const { _id: id, public_key: known, next_public_key, next_box_key } = probe;
    if (used !== next_public_key || !next_box_key) throw new Error('the probe uses keys that it never offered');
    const next = { public_key: next_public_key, box_key: next_box_key };
    const adopted = await probes.adoptKeys(id, known, next, clock.now());
    if (!adopted) return;
    log.info({ probe_id: id, probe_name: probe.name, region: probe.region_id }, 'a probe uses its new keys');
    await Promise.all([publishIdentities(), directory.refresh()]);
    await this.#confirm({ ...probe, ...next });
  }

  /** The probe drops its old keys when it receives a message sealed to the new ones. */
  async #confirm(probe: EnrolledProbe): Promise<void> {
    const { order, clock } = this.#deps;
    for (let sent = 1; ; sent += 1) {
      try {
        return void await order(probe, { rotate: { known: probe.public_key, next: probe.public_key } });
      } catch (error) {
        if (sent === MAX_ORDERS || this.#isStopped) throw error;
        await sleep(clock, ORDER_PAUSE_MS);
      }
    }
  }
}

/** Whether the probe's keys are being replaced. */
export function isRotating(probe: ProbeDoc): boolean {
  return typeof probe.rotation_asked_at === 'number';
}
