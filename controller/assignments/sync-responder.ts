import { syncRequest } from '../../shared/contracts/assignment.ts';
import { probeOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import { isEnrolled, type EnrolledProbe, type ProbeDoc } from '../probes/probe.ts';
import type { EnvelopeSealer } from './envelope.ts';
import type { HeadStore } from './head-store.ts';
import type { AssignmentStore } from './store.ts';
import { answerSync } from './sync-answer.ts';

const AT_ONCE = 4;
/** Requests that wait; more are dropped, and their probes ask again. */
const LONGEST_QUEUE = 1000;
const LARGEST_REQUEST_BYTES = 4096;

export interface SyncDeps {
  bus: Bus;
  items: AssignmentStore;
  heads: HeadStore;
  sealer: EnvelopeSealer;
  /** The probe as it is known here, or looked up when it is new; null for one that is gone. */
  findProbe(probeId: string): Promise<ProbeDoc | null>;
  log: Log;
}

/** Answers probes that are behind. Of several controllers one gets each request. */
export class SyncResponder {
  readonly #deps: SyncDeps;
  readonly #waiting: BusMessage[] = [];
  readonly #running = new Set<Promise<void>>();
  #subscription: BusSubscription | null = null;
  /** Requests that were malformed, of an unknown probe, or one too many. */
  refused = 0;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#subscription = this.#deps.bus.subscribe(subjects.syncOfAll, (message) => this.#take(message), { queue: 'sync' });
  }

  async stop(): Promise<void> {
    await this.#subscription?.stop();
    this.#waiting.length = 0;
    await Promise.all(this.#running);
  }

  #take(message: BusMessage): void {
    if (this.#waiting.length >= LONGEST_QUEUE) {
      this.refused += 1;
      return;
    }
    this.#waiting.push(message);
    this.#next();
  }

  #next(): void {
    while (this.#running.size < AT_ONCE) {
      const message = this.#waiting.shift();
      if (!message) return;
      const work = this.#answer(message)
        .catch((error: unknown) => this.#deps.log.warn({ err: error, subject: message.subject }, 'sync not answered'))
        .finally(() => {
          this.#running.delete(work);
          this.#next();
        });
      this.#running.add(work);
    }
  }

  async #answer(message: BusMessage): Promise<void> {
    const from = probeOfSubject(message.subject);
    const request = readRequest(message.data);
    const probe = from && (await this.#deps.findProbe(from.probeId));
    if (!request || !probe || !isAt(probe, from.region)) {
      this.refused += 1;
      return;
    }
    const { items, heads, sealer } = this.#deps;
    const delta = await answerSync({ items, heads }, probe._id, request);
    message.reply(sealer.delta('sync', { probeId: probe._id, boxKey: probe.box_key }, delta));
  }
}

function isAt(probe: ProbeDoc, region: string): probe is EnrolledProbe {
  return isEnrolled(probe) && probe.region_id === region;
}

function readRequest(data: Uint8Array) {
  if (data.length > LARGEST_REQUEST_BYTES) return null;
  try {
    const parsed = syncRequest.safeParse(JSON.parse(Buffer.from(data).toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
