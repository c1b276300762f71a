import pLimit from 'p-limit';
import { syncRequest } from '../../shared/contracts/assignment.ts';
import { decodeJson } from '../../shared/contracts/decode-json.ts';
import { probeOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import type { EnvelopeSealer } from './envelope.ts';
import type { HeadStore } from './head-store.ts';
import type { AssignmentStore } from './store.ts';
import { answerSync } from './sync-answer.ts';

const AT_ONCE = 4;
/** Requests that wait; further ones are dropped, and their probes ask again. */
const LONGEST_QUEUE = 1000;
const LARGEST_REQUEST_BYTES = 4096;

interface SyncDeps {
  bus: Bus;
  items: AssignmentStore;
  heads: HeadStore;
  sealer: EnvelopeSealer;
  directory: FleetDirectory;
  log: Log;
}

/** Answers probes that are behind. One of the controllers gets each request. */
export class SyncResponder {
  readonly #deps: SyncDeps;
  readonly #limit = pLimit(AT_ONCE);
  readonly #underWay = new Set<Promise<void>>();
  #subscription: BusSubscription | null = null;
  #isStopped = false;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  start(): void {
    const take = (message: BusMessage) => this.#take(message);
    this.#subscription = this.#deps.bus.subscribe(subjects.syncOfAll, take, { queue: 'sync' });
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop();
    this.#isStopped = true;
    await Promise.all(this.#underWay);
  }

  #take(message: BusMessage): void {
    if (this.#limit.pendingCount >= LONGEST_QUEUE) return;
    const { log } = this.#deps;
    const work = this.#limit(() => this.#answer(message))
      .catch((error: unknown) => log.warn({ err: error, subject: message.subject }, 'sync not answered'))
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  async #answer(message: BusMessage): Promise<void> {
    if (this.#isStopped) return;
    const { items, heads, sealer, directory } = this.#deps;
    const from = probeOfSubject(message.subject);
    const request = decodeJson(syncRequest, message.data, LARGEST_REQUEST_BYTES);
    const probe = from && (await directory.findEnrolled(from));
    if (!request || !probe) return;
    const delta = await answerSync({ items, heads }, probe._id, request);
    message.reply(sealer.seal('sync', probe, delta));
  }
}
