import { z } from 'zod';
import { decodeJson } from '../shared/contracts/bytes.ts';
import { BEAT_INTERVAL_MS, type Beat } from '../shared/contracts/beat.ts';
import { subjects } from '../shared/contracts/subjects.ts';
import type { Clock, Timer } from '../shared/time.ts';
import type { ProbeBus, Subscription } from './ports.ts';

export interface BeatSenderOptions {
  bus: ProbeBus;
  clock: Clock;
  region: string;
  probeId: string;
  /** Subject for a controller's response to a beat. */
  responseSubject: string;
  /** CPU time used by this process so far, ms. */
  cpuMs: () => number;
  /** All fields of a beat except clock and load. */
  state: () => Omit<Beat, 'v' | 'sent_at' | 'started_at' | 'load' | 'leaving'>;
  /** Called when a controller reports the revision it has for this probe. */
  onRevision: (revision: number) => void;
}

/** Response to a beat with the controller's revision. Unsigned, so only a hint. */
const beatResponse = z.object({ v: z.literal(1), revision: z.int().min(0) });

/** Tells the controllers every few seconds that this probe is alive. */
export class BeatSender {
  readonly #options: BeatSenderOptions;
  readonly #startedAtMs: number;
  #timer: Timer | null = null;
  #responses: Subscription | null = null;
  #lastCpuMs: number;
  #lastBeatMs: number;
  #isLeaving = false;

  constructor(options: BeatSenderOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.now();
    this.#lastCpuMs = options.cpuMs();
    this.#lastBeatMs = options.clock.monotonic();
  }

  start(): void {
    const { bus, clock, responseSubject } = this.#options;
    this.#responses = bus.subscribe(responseSubject, (payload) => this.#onResponse(payload));
    bus.onChange((isConnected) => {
      if (isConnected && !this.#isLeaving) this.#beat();
    });
    this.#timer = clock.setRepeating(BEAT_INTERVAL_MS, () => this.#beat());
  }

  /** Announces that this probe is stopping, so that others take over its monitors immediately. */
  stop(): void {
    this.#timer?.cancel();
    this.#isLeaving = true;
    this.#beat();
    this.#responses?.stop();
  }

  #beat(): void {
    const { bus, clock, region, probeId, responseSubject } = this.#options;
    const beat: Beat = {
      v: 1, sent_at: clock.now(), started_at: this.#startedAtMs, load: this.#load(), ...this.#options.state(),
      ...(this.#isLeaving ? { leaving: true } : {}),
    };
    bus.publish(subjects.beat(region, probeId), Buffer.from(JSON.stringify(beat)), responseSubject);
  }

  /** CPU time since the last beat as a share of one core. */
  #load(): number {
    const cpuMs = this.#options.cpuMs();
    const nowMs = this.#options.clock.monotonic();
    const load = (cpuMs - this.#lastCpuMs) / Math.max(1, nowMs - this.#lastBeatMs);
    this.#lastCpuMs = cpuMs;
    this.#lastBeatMs = nowMs;
    return Math.max(0, load);
  }

  #onResponse(payload: Uint8Array): void {
    const response = decodeJson(beatResponse, payload);
    if (response) this.#options.onRevision(response.revision);
  }
}
