import type { Clock, Timer } from '../../../shared/time.ts';
import type { Echo, EchoSocket } from './echo-socket.ts';
import type { PingReport, PingRequest, PingProblem } from './pinger.ts';
import type { Turns } from './turns.ts';

/** A timer this late means that the process was stalled. */
const STALL_MS = 500;

interface SeriesParts {
  socket: EchoSocket;
  request: PingRequest;
  clock: Clock;
  turns: Turns;
}

/** The packets of one ping. */
export class Series {
  readonly #socket: EchoSocket;
  readonly #request: PingRequest;
  readonly #clock: Clock;
  readonly #turns: Turns;
  /** By packet; null until its reply. */
  readonly #rttsMs: (number | null)[] = [];
  /** Sequence numbers of the packets in flight. */
  readonly #pending = new Set<number>();
  #sent = 0;
  #isLastSent = false;
  #problem: PingProblem | null = null;
  #timer: Timer | null = null;
  /** How late the end was noticed: replies may have waited this long to be read. */
  #lateMs = 0;
  #finish: (report: PingReport) => void = () => {};

  constructor({ socket, request, clock, turns }: SeriesParts) {
    this.#socket = socket;
    this.#request = request;
    this.#clock = clock;
    this.#turns = turns;
  }

  run(): Promise<PingReport> {
    return new Promise((resolve) => {
      this.#finish = resolve;
      this.#socket.enter();
      this.#turns.take(() => this.#sendNext());
    });
  }

  #sendNext(): void {
    const { count, plan } = this.#request;
    this.#send();
    this.#isLastSent = this.#rttsMs.length === count;
    if (this.#isLastSent) {
      if (this.#pending.size === 0) return this.#end();
      const dueMs = this.#clock.monotonic() + plan.responseTimeoutMs;
      this.#timer = this.#clock.setTimer(plan.responseTimeoutMs, () => this.#onTimeout(dueMs));
    } else {
      this.#timer = this.#clock.setTimer(plan.intervalMs, () => this.#turns.take(() => this.#sendNext()));
    }
  }

  #send(): void {
    const { address, size, ttl } = this.#request;
    const packet = this.#rttsMs.push(null) - 1;
    const echo: Echo = {
      address, size, ttl,
      settle: (problem, rttMs) => {
        this.#pending.delete(sequence as number);
        if (problem) this.#problem ??= problem;
        else if (rttMs - this.#lateMs <= this.#request.plan.responseTimeoutMs) this.#rttsMs[packet] = rttMs;
        if (this.#pending.size === 0 && this.#isLastSent) this.#end();
      },
    };
    const sequence = this.#socket.send(echo);
    if (typeof sequence === 'number') {
      this.#sent += 1;
      this.#pending.add(sequence);
    } else {
      this.#problem ??= sequence;
    }
  }

  #onTimeout(dueMs: number): void {
    this.#lateMs = Math.max(0, this.#clock.monotonic() - dueMs);
    this.#socket.catchUp();
    if (this.#pending.size === 0) return;
    if (this.#lateMs > STALL_MS) this.#problem = { whose: 'own', reason: 'overload' };
    this.#end();
  }

  #end(): void {
    this.#timer?.cancel();
    for (const sequence of this.#pending) this.#socket.forget(sequence);
    this.#socket.leave();
    const rttsMs = this.#rttsMs.filter((rtt) => rtt !== null);
    this.#finish({ sent: this.#sent, rttsMs, problem: this.#problem });
  }
}
