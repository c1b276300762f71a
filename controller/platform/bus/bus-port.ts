/** A message that came in. `reply` does nothing when nobody waits for one. */
export interface BusMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  respond(data: Uint8Array | string): void;
}

export type BusHandler = (message: BusMessage) => void;

export interface BusSubscription {
  /** Accepts no further messages; resolves when those in hand have been handled. */
  stop(): Promise<void>;
}

/** Why a request got no answer. `disconnected`: nothing was sent. */
export type BusFailure = 'timeout' | 'no_responders' | 'disconnected';

export class BusError extends Error {
  readonly failure: BusFailure;

  constructor(failure: BusFailure, subject: string) {
    super(`${failure}: ${subject}`);
    this.name = 'BusError';
    this.failure = failure;
  }
}

/** Carries messages between processes; it never holds the only copy of anything. */
export interface Bus {
  /** Sends and forgets; what is published while disconnected may be lost. */
  publish(subject: string, data: Uint8Array | string): void;
  /** First reply; rejects with BusError. */
  request(subject: string, data: Uint8Array | string, options: { timeoutMs: number }): Promise<Uint8Array>;
  subscribe(subject: string, handler: BusHandler, options?: { queue?: string }): BusSubscription;
  readonly isConnected: boolean;
  /** Resolves when the server has taken everything published so far; may wait until it is back. */
  flush(): Promise<void>;
  /** Calls `listener` each time the connection has come back. */
  onReconnect(listener: () => void): void;
  /** Lets subscriptions finish what is in hand, then disconnects. */
  close(): Promise<void>;
}
