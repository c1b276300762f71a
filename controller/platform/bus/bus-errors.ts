import { ErrorCode, NatsError } from 'nats';
import { BusError, type BusFailure } from './bus-port.ts';

const FAILURES: Record<string, BusFailure> = {
  [ErrorCode.Timeout]: 'timeout',
  [ErrorCode.NoResponders]: 'no_responders',
  [ErrorCode.Disconnect]: 'disconnected',
  [ErrorCode.ConnectionClosed]: 'disconnected',
  [ErrorCode.ConnectionDraining]: 'disconnected',
};

/** What a failed request of nats.js means for the one who asked; anything unforeseen stays what it is. */
export function asBusError(error: unknown, subject: string): unknown {
  const failure = error instanceof NatsError ? FAILURES[error.code] : undefined;
  return failure ? new BusError(failure, subject) : error;
}
