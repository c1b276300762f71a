/** Why a request has no answer. */
export class BusError extends Error {
  readonly kind: 'timeout' | 'no_responders' | 'closed';

  constructor(kind: BusError['kind'], options?: { cause?: unknown }) {
    super(`no answer: ${kind}`, options);
    this.name = 'BusError';
    this.kind = kind;
  }
}

export interface Subscription {
  stop(): void;
}

/** What the probe needs of the bus. Subjects are whole; payloads are bytes. */
export interface ProbeBus {
  readonly isConnected: boolean;
  /** The answer to one message. Rejects with BusError only. */
  request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /**
   * Sends and forgets; what is published while disconnected is lost. Answers, if any, go to the subject
   * `reply`.
   */
  publish(subject: string, payload: Uint8Array, responseSubject?: string): void;
  /** Resolves when the server has read everything sent so far, or the connection is lost. Never rejects. */
  flush(): Promise<void>;
  /** `respond` is null when no answer is wanted. */
  subscribe(
    subject: string, handle: (payload: Uint8Array, respond: ((payload: Uint8Array) => void) | null) => void,
  ): Subscription;
  /**
   * Calls `handle` at each new connection and each loss of one; at once when there is a connection already.
   */
  onChange(handle: (isConnected: boolean) => void): void;
}
