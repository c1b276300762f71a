export interface Subscription {
  stop(): void;
}

/** The bus as the probe uses it. Subjects are complete; payloads are bytes. */
export interface ProbeBus {
  readonly isConnected: boolean;
  /** Resolves to the response. Rejects with BusError only. */
  request(subject: string, payload: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /**
   * Publishes without confirmation; messages published while disconnected are lost. Responses, if any, go to
   * `responseSubject`.
   */
  publish(subject: string, payload: Uint8Array, responseSubject?: string): void;
  /** Resolves when the server has read everything sent so far, or the connection is lost. Never rejects. */
  flush(): Promise<void>;
  /** `respond` is null if the sender expects no response. */
  subscribe(
    subject: string, handle: (payload: Uint8Array, respond: ((payload: Uint8Array) => void) | null) => void,
  ): Subscription;
  /** Calls `handle` on each connect and disconnect, and immediately if already connected. */
  onChange(handle: (isConnected: boolean) => void): void;
}
