import { z } from 'zod';
import { decodeJson } from '../shared/contracts/decode-json.ts';
import { BEAT_INTERVAL_MS, type Beat } from '../shared/contracts/beat.ts';
import { subjects } from '../shared/contracts/subjects.ts';
import type { Clock, Timer } from '../shared/time.ts';
import type { ProbeBus, Subscription } from './ports.ts';

export interface BeatSenderOptions {
  bus: ProbeBus;
  clock: Clock;
  region: string;
  probeId: string;
  /** Where a controller may answer a beat. */
  responseSubject: string;
  /** CPU time used by this process so far, ms. */
  cpuMs: () => number;
  /** Everything of a beat that is not told by clock and load. */
  state: () => Omit<Beat, 'v' | 'sent_at' | 'started_at' | 'load' | 'leaving'>;
  /** A controller says that it holds this revision of the assignments. */
  onRevision: (revision: number) => void;
}

/**
 * An answer to a beat: the revision that the controller wants to be held. It is a hint and proves nothing.
 */
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

  /** Says that this probe stops, so that others take over its monitors at once. No beat follows. */
  leave(): void {
    this.#timer?.cancel();
    this.#isLeaving = true;
    this.#beat();
  }

  stop(): void {
    this.#timer?.cancel();
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

  /** Share of a core used since the last beat. */
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
