import type { ProbeBus, Subscription } from '../../../../probe/ports.ts';
import { BusError } from '../../../../shared/bus-error.ts';
import { sleep, type Clock } from '../../../../shared/time.ts';

export interface Fate {
  /** Whether the message is delivered, and whether its response returns. */
  isDelivered: boolean;
  hasResponse: boolean;
  delayMs: number;
  /** Delivered once more after this time. */
  againAfterMs: number | null;
}

/** A bus whose `fate` decides what happens to each request; `respond` is the other side. */
export class SimulatedBus implements ProbeBus {
  readonly #clock: Clock;
  readonly #handlers: ((isConnected: boolean) => void)[] = [];
  isConnected = true;
  fate: () => Fate = () => ({ isDelivered: true, hasResponse: true, delayMs: 1, againAfterMs: null });
  respond: (subject: string, payload: Uint8Array) => Uint8Array | null = () => null;
  inFlight = 0;
  maxInFlight = 0;
  requests = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  connect(isConnected: boolean): void {
    this.isConnected = isConnected;
    for (const handle of this.#handlers) handle(isConnected);
  }

  async request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    if (!this.isConnected) throw new BusError('disconnected', subject);
    this.requests += 1;
    this.inFlight += 1;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    const fate = this.fate();
    const copy = Buffer.from(payload);
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        this.#clock.setTimer(timeoutMs, () => reject(new BusError('timeout', subject)));
        if (!fate.isDelivered) return;
        const deliver = (): void => {
          const response = this.respond(subject, copy);
          if (response && fate.hasResponse) void sleep(this.#clock, fate.delayMs).then(() => resolve(response));
        };
        this.#clock.setTimer(fate.delayMs, deliver);
        if (fate.againAfterMs !== null) this.#clock.setTimer(fate.delayMs + fate.againAfterMs, deliver);
      });
    } finally {
      this.inFlight -= 1;
    }
  }

  publish(): void {
    // Beats are ignored here.
  }

  async flush(): Promise<void> {
  }

  subscribe(): Subscription {
    return { stop: () => undefined };
  }

  onChange(handle: (isConnected: boolean) => void): void {
    this.#handlers.push(handle);
    if (this.isConnected) handle(true);
  }
}
