import { connect } from 'node:net';
import type { HostAndPort } from '../../shared/setting.ts';
import type { Clock } from '../../shared/time.ts';

const CONNECT_MS = 2000;
/** What was found holds for so long, and is asked again only for failures after it. */
const HOLDS_MS = 3000;
/** So many anchors out of reach, or all where fewer are named, mean that the way out is gone. */
const LOST = 2;

/**
 * Tells this probe's own uplink from its targets: places that are taken to answer whenever anybody does. They are tried
 * when a check has failed, all at once, at most every few seconds and by opening a connection alone.
 */
export class Anchors {
  readonly #anchors: readonly HostAndPort[];
  readonly #clock: Clock;
  #asked: { atMs: number; answer: Promise<boolean> } | null = null;

  constructor(anchors: readonly HostAndPort[], clock: Clock) {
    this.#anchors = anchors;
    this.#clock = clock;
  }

  /** Whether none are named; then nothing is ever tried. */
  get isOff(): boolean {
    return this.#anchors.length === 0;
  }

  /** Whether this probe has lost its way out; never rejects, and answers within two seconds. */
  isCutOff(): Promise<boolean> {
    if (this.isOff) return Promise.resolve(false);
    const nowMs = this.#clock.monotonic();
    if (!this.#asked || nowMs - this.#asked.atMs >= HOLDS_MS) this.#asked = { atMs: nowMs, answer: this.#look() };
    return this.#asked.answer;
  }

  async #look(): Promise<boolean> {
    const reached = await Promise.all(this.#anchors.map((anchor) => this.#reaches(anchor)));
    return reached.filter((isReached) => !isReached).length >= Math.min(LOST, reached.length);
  }

  #reaches({ host, port }: HostAndPort): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect({ host, port });
      const timer = this.#clock.setTimer(CONNECT_MS, () => end(false));
      const end = (isReached: boolean): void => {
        timer.cancel();
        socket.destroy();
        resolve(isReached);
      };
      socket.once('connect', () => end(true));
      socket.on('error', () => end(false));
    });
  }
}
