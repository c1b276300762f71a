import type { Assignment } from '../../shared/contracts/assignment.ts';
import { EVIDENCE_RATE } from '../../shared/contracts/evidence.ts';
import type { CheckError, CheckResult } from '../../shared/contracts/result.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import { TokenBuckets } from '../../shared/token-buckets.ts';
import type { Finding } from '../checks/check.ts';
import { Fifo } from '../fifo.ts';
import type { ProbeBus } from '../ports.ts';
import type { Observer } from '../runner/runner.ts';
import { EvidenceRedactor, withFewNames, type Observation } from './response-evidence.ts';
import { evidenceBytes } from './evidence-bytes.ts';
import { LastGood } from './last-good.ts';

export interface EvidenceOptions {
  bus: ProbeBus;
  clock: Clock;
  log: Log;
  region: string;
  probeId: string;
  /** Current number of monitors. */
  monitors: () => number;
}

/** Maximum queued failures; further ones are not sent. */
const MAX_WAITING = 64;
/** Per monitor, so that a flapping one uses little of the shared rate. */
const RATE_OF_MONITOR = { perSecond: 20 / 3600, burst: 20 };
/** The same kind of failure is sent again after this time. */
const RESEND_AFTER_MS = 3_600_000;
/** Maximum share of this process's time spent on evidence. */
const SHARE_OF_TIME = 0.05;
/** Maximum share of the link's time: on a slow link, beats and results must not queue behind evidence. */
const SHARE_OF_LINK = 0.2;
const NEXT_TOKEN_MS = 1000 / EVIDENCE_RATE.perSecond;

/** A failure and its evidence; secrets in its error are already concealed. */
interface Failure {
  assignment: Assignment;
  error: CheckError;
  observation: Omit<Observation, 'certificate'>;
  tls: Finding['tls'];
  lastGood: Observation | null;
}

/**
 * Sends what failed checks saw. Works deferred, one message at a time; what can't be sent in time is dropped
 * and counted, because results have priority.
 */
export class EvidenceSender implements Observer {
  readonly #options: EvidenceOptions;
  readonly #clock: Clock;
  readonly #lastGood: LastGood;
  /** By failing monitor: the evidence last sent for its outage. */
  readonly #shown = new Map<string, { kind: string; atMs: number }>();
  readonly #waiting = new Fifo<Failure>();
  readonly #rate = new TokenBuckets(EVIDENCE_RATE);
  readonly #rateOfMonitor = new TokenBuckets(RATE_OF_MONITOR);
  #timer: Timer | null = null;
  #isSending = false;
  #isStopped = false;
  #unsent = 0;

  constructor(options: EvidenceOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#lastGood = new LastGood(options.monitors);
  }

  /** Failures since the start whose evidence was dropped for lack of room or time. */
  get unsentCount(): number {
    return this.#unsent;
  }

  start(): void {
    this.#options.bus.onChange((isConnected) => {
      if (isConnected) this.#wakeIn(0);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  checked(assignment: Assignment, result: CheckResult, finding: Finding): void {
    const id = assignment.monitor_id;
    if (result.outcome === 'success') this.#lastGood.record(result, finding, this.#shown.delete(id));
    if (result.error === null || result.outcome !== 'failure') return;
    const kind = kindOf(result);
    if (result.attempt === 1 && this.#isShown(id, kind)) return;
    if (!this.#offer(assignment, result, finding)) return;
    this.#shown.set(id, { kind, atMs: this.#clock.monotonic() });
  }

  confirmed(assignment: Assignment, result: CheckResult, finding: Finding): void {
    if (result.outcome !== 'failure' || this.#isShown(assignment.monitor_id, kindOf(result))) return;
    this.#offer(assignment, result, finding);
  }

  forget(monitorId: string): void {
    this.#shown.delete(monitorId);
    this.#lastGood.forget(monitorId);
  }

  #isShown(id: string, kind: string): boolean {
    const shown = this.#shown.get(id);
    return shown?.kind === kind && this.#clock.monotonic() - shown.atMs < RESEND_AFTER_MS;
  }

  #offer(assignment: Assignment, result: CheckResult, { observed, tls }: Finding): boolean {
    const { monitor_id: id } = assignment;
    const hasRoom = this.#waiting.size < MAX_WAITING && !this.#isStopped;
    if (!hasRoom || !this.#rateOfMonitor.take(id, 1, this.#clock.monotonic())) {
      this.#unsent += 1;
      return false;
    }
    this.#waiting.put({
      assignment, error: result.error as CheckError, lastGood: this.#lastGood.of(id),
      observation: {
        checkedAt: result.started_at, remoteAddress: result.remote_address, timings: result.timings,
        addresses: observed?.addresses ?? [], head: observed?.head ?? null, body: observed?.body ?? null,
      },
      tls,
    });
    this.#wakeIn(0);
    return true;
  }

  #wakeIn(delayMs: number): void {
    if (this.#isStopped || this.#isSending || this.#timer || this.#waiting.size === 0) return;
    this.#timer = this.#clock.setTimer(delayMs, () => {
      this.#timer = null;
      void this.#sendNext();
    });
  }

  async #sendNext(): Promise<void> {
    const { bus, region, probeId } = this.#options;
    if (!bus.isConnected) return;
    const startedAt = this.#clock.monotonic();
    if (!this.#rate.take('', 1, startedAt)) return this.#wakeIn(NEXT_TOKEN_MS);
    const bytes = this.#makeNext();
    const madeAt = this.#clock.monotonic();
    if (bytes) {
      this.#isSending = true;
      bus.publish(subjects.evidence(region, probeId), bytes);
      await bus.flush();
      this.#isSending = false;
    }
    const linkMs = this.#clock.monotonic() - madeAt;
    this.#wakeIn(Math.max((madeAt - startedAt) / SHARE_OF_TIME, linkMs / SHARE_OF_LINK - linkMs));
  }

  #makeNext(): Buffer | null {
    let bytes: Buffer | null = null;
    try {
      bytes = bytesOf(this.#waiting.take() as Failure);
    } catch (error) {
      this.#options.log.error({ err: error }, 'could not capture evidence');
    }
    if (!bytes) this.#unsent += 1;
    return bytes;
  }
}

function kindOf({ error, status_code: status }: CheckResult): string {
  return `${error?.type} ${status}`;
}

function bytesOf({ assignment, error, observation, tls, lastGood }: Failure): Buffer | null {
  const redactor = new EvidenceRedactor(assignment.spec);
  return evidenceBytes({
    v: 1, monitor_id: assignment.monitor_id, assignment_rev: assignment.assignment_rev, error,
    ...redactor.redact({ ...observation, certificate: tls && withFewNames(tls.facts()) }),
    last_good: lastGood && redactor.redact(lastGood),
  });
}
