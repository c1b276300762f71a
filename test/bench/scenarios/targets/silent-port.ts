import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** More than the listener's queue holds. */
const FILLERS = 6;

/** A port that accepts connections, or silently drops every attempt. */
export class SilentPort {
  readonly #sleepFlag = new Int32Array(new SharedArrayBuffer(4));
  readonly #worker: Worker;
  #fillers: Socket[] = [];
  #port = 0;

  /** `bundle`: silent-listener.ts. */
  constructor(bundle: string) {
    this.#worker = new Worker(bundle, { workerData: this.#sleepFlag });
  }

  async listen(): Promise<this> {
    [this.#port] = (await once(this.#worker, 'message')) as [number];
    return this;
  }

  get port(): number {
    return this.#port;
  }

  async silence(isSilent: boolean): Promise<void> {
    Atomics.store(this.#sleepFlag, 0, isSilent ? 1 : 0);
    if (isSilent) {
      this.#worker.postMessage('sleep');
      await once(this.#worker, 'message');
      this.#fillers = Array.from({ length: FILLERS }, () => connect(this.#port, '127.0.0.1').on('error', () => {}));
    } else {
      Atomics.notify(this.#sleepFlag, 0);
      for (const socket of this.#fillers) socket.destroy();
    }
  }

  async close(): Promise<void> {
    await this.silence(false);
    await this.#worker.terminate();
  }
}
