import { connect } from 'node:net';
import type { HostAndPort } from '../../shared/setting.ts';
import type { Clock } from '../../shared/time.ts';

const CONNECT_MS = 2000;
/** A loss holds for so long, and is asked again only for failures after it. */
const LOSS_HOLDS_MS = 3000;
/**
 * A way out that was there may be gone now: where targets fail all the time, its loss is taken for theirs no
 * longer than this.
 */
const REACH_HOLDS_MS = 500;
/** So many anchors out of reach, or all where fewer are named, mean that the way out is gone. */
const LOST = 2;

interface Asked {
  atMs: number;
  /** Infinite while the answer is awaited. */
  holdsMs: number;
  answer: Promise<boolean>;
}

/**
 * Tells this probe's own uplink from its targets: places that are taken to answer whenever anybody does. They
 * are tried when a check has failed, all at once, at most twice a second and by opening a connection alone.
 */
export class Anchors {
  readonly #anchors: readonly HostAndPort[];
  readonly #clock: Clock;
  #asked: Asked | null = null;

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
    if (!this.#asked || nowMs - this.#asked.atMs >= this.#asked.holdsMs) this.#asked = this.#ask(nowMs);
    return this.#asked.answer;
  }

  #ask(atMs: number): Asked {
    const asked: Asked = { atMs, holdsMs: Infinity, answer: this.#look() };
    void asked.answer.then((isCutOff) => {
      asked.holdsMs = isCutOff ? LOSS_HOLDS_MS : REACH_HOLDS_MS;
    });
    return asked;
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
