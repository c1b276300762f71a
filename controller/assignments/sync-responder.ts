import { syncRequest } from '../../shared/contracts/assignment.ts';
import { decodeJson } from '../../shared/contracts/bytes.ts';
import { probeOfSubject, subjects, type ProbeAddress } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import type { ProbeRate } from '../probes/probe-rate.ts';
import type { EnvelopeSealer } from './envelope.ts';
import { ReplacingQueue } from './replacing-queue.ts';
import type { HeadStore } from './head-store.ts';
import type { AssignmentStore } from './store.ts';
import { buildSyncPage } from './sync-page.ts';

const MAX_CONCURRENT = 4;
/** Probes with a queued request. Further requests are dropped, and their probes repeat them. */
const MAX_QUEUED_PROBES = 1000;
const MAX_REQUEST_BYTES = 4096;

interface SyncDeps {
  bus: Bus;
  items: AssignmentStore;
  heads: HeadStore;
  sealer: EnvelopeSealer;
  directory: FleetDirectory;
  rate: ProbeRate;
  log: Log;
}

/** Sends changes to probes that are behind, one probe at a time. One controller handles each request. */
export class SyncResponder {
  readonly #deps: SyncDeps;
  readonly #queue = new ReplacingQueue({ maxRunning: MAX_CONCURRENT, maxWaiting: MAX_QUEUED_PROBES });
  #subscription: BusSubscription | null = null;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  /** Requests dropped because their probe sent a newer one or the queue was full. */
  get dropped(): number {
    return this.#queue.dropped;
  }

  start(): void {
    const onRequest = (message: BusMessage) => this.#onRequest(message);
    this.#subscription = this.#deps.bus.subscribe(subjects.syncOfAll, onRequest, { queue: 'sync' });
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop();
    await this.#queue.stop();
  }

  #onRequest(message: BusMessage): void {
    const { log, rate } = this.#deps;
    const from = probeOfSubject(message.subject);
    if (!from || !rate.admits(from.probeId)) return;
    const onError = (error: unknown) => log.warn({ err: error, subject: message.subject }, 'could not respond to a sync request');
    this.#queue.put(from.probeId, () => this.#respond(from, message).catch(onError));
  }

  async #respond(from: ProbeAddress, message: BusMessage): Promise<void> {
    const { items, heads, sealer, directory } = this.#deps;
    const request = decodeJson(syncRequest, message.data, MAX_REQUEST_BYTES);
    const probe = request && (await directory.findEnrolled(from));
    if (!probe) return;
    const delta = await buildSyncPage({ items, heads }, probe._id, request);
    message.respond(sealer.seal('sync', probe, delta));
  }
}
