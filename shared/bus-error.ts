/** Why a request got no response. `disconnected`: there is no connection to the bus. */
export type BusFailure = 'timeout' | 'no_responders' | 'disconnected';

/** A request on the bus got no response. */
export class BusError extends Error {
  readonly failure: BusFailure;

  constructor(failure: BusFailure, subject: string, options?: { cause?: unknown }) {
    super(`${failure}: ${subject}`, options);
    this.name = 'BusError';
    this.failure = failure;
  }
}
