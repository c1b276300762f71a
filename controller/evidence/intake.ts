import { decodeJson } from '../../shared/contracts/bytes.ts';
import { evidence, MAX_EVIDENCE_BYTES } from '../../shared/contracts/evidence.ts';
import { probeOfSubject, subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import type { FleetDirectory } from '../probes/directory.ts';
import { IgnoredMessages } from '../probes/ignored-messages.ts';
import { ProbeRate } from '../probes/probe-rate.ts';
import type { ReceivedEvidence } from './evidence.ts';
import { EvidenceQueue } from './evidence-queue.ts';
import type { EvidenceOutcome } from './rules.ts';

interface IntakeDeps {
  bus: Pick<Bus, 'subscribe'>;
  directory: Pick<FleetDirectory, 'enrolled'>;
  /** Added to a probe's timestamps, ms. */
  clockShiftMs(probeId: string): number;
  /** The outcome of each message, in order. Rejects if the database does not respond. */
  store(batch: ReceivedEvidence[]): Promise<EvidenceOutcome[]>;
  clock: Clock;
  log: Log;
}

/**
 * Receives the evidence that probes send. Each message goes to one controller and gets no response. Refusals
 * are counted, and logged at most once per probe and minute.
 */
export class EvidenceIntake {
  readonly rate: ProbeRate;
  /** Messages by outcome since the start. */
  readonly counts: Record<EvidenceOutcome, number> = {
    kept: 0, dropped: 0, unwritable: 0, unreadable: 0, unknown_probe: 0, unknown_monitor: 0, not_assigned: 0,
    future: 0, too_old: 0,
  };
  readonly #deps: IntakeDeps;
  readonly #queue: EvidenceQueue;
  readonly #ignored: IgnoredMessages;
  #subscription: BusSubscription | null = null;

  constructor(deps: IntakeDeps) {
    const { clock, log } = deps;
    this.#deps = deps;
    this.rate = new ProbeRate({ clock, log, subject: 'evidence' });
    this.#ignored = new IgnoredMessages({ clock, log, reason: 'evidence from a probe was rejected' });
    this.#queue = new EvidenceQueue({ clock, log, write: (batch) => this.#store(batch) });
  }

  start(): void {
    const receive = (message: BusMessage) => this.#receive(message);
    this.#subscription = this.#deps.bus.subscribe(subjects.evidenceOfAll, receive, { queue: 'evidence' });
  }

  /** Resolves when everything queued is written, or at the first write that fails. */
  async stop(): Promise<void> {
    await this.#subscription?.stop();
    await this.#queue.stop();
  }

  #receive({ subject, data }: BusMessage): void {
    const { directory, clock, clockShiftMs } = this.#deps;
    const from = probeOfSubject(subject);
    if (!from || !this.rate.admits(from.probeId)) return;
    const message = decodeJson(evidence, data, MAX_EVIDENCE_BYTES);
    if (!message) return this.#count(from.probeId, 'unreadable');
    if (directory.enrolled(from.probeId)?.region_id !== from.region) {
      return this.#count(from.probeId, 'unknown_probe');
    }
    const shiftMs = clockShiftMs(from.probeId);
    const isQueued = this.#queue.put({ from, message, size: data.length, at: clock.now(), shiftMs });
    if (!isQueued) this.#count(from.probeId, 'dropped');
  }

  async #store(batch: ReceivedEvidence[]): Promise<void> {
    const outcomes = await this.#deps.store(batch);
    for (const [index, { from }] of batch.entries()) {
      this.#count(from.probeId, outcomes[index] as EvidenceOutcome);
    }
  }

  #count(probeId: string, outcome: EvidenceOutcome): void {
    this.counts[outcome] += 1;
    if (outcome !== 'kept') this.#ignored.add(probeId, { outcome });
  }
}
