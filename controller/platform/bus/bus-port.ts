/** A received message. `reply` does nothing if the sender expects no response. */
export interface BusMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  respond(data: Uint8Array | string): void;
}

export type BusHandler = (message: BusMessage) => void;

export interface BusSubscription {
  /** Stops accepting messages; resolves once those in progress are handled. */
  stop(): Promise<void>;
}

/** Carries messages between processes; never holds the only copy of anything. */
export interface Bus {
  /** Fire and forget: messages published while disconnected may be lost. */
  publish(subject: string, data: Uint8Array | string): void;
  /** Returns the first response; rejects with BusError. */
  request(subject: string, data: Uint8Array | string, options: { timeoutMs: number }): Promise<Uint8Array>;
  subscribe(subject: string, handler: BusHandler, options?: { queue?: string }): BusSubscription;
  readonly isConnected: boolean;
  /** Resolves once the server has received everything published so far; while disconnected, waits for it. */
  flush(): Promise<void>;
  /** Calls `listener` after each reconnect. */
  onReconnect(listener: () => void): void;
  /** Waits for handlers in progress, then disconnects. */
  close(): Promise<void>;
}
