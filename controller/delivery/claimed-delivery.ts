import { sleep, type Clock } from '../../shared/time.ts';
import type { DeliveryDoc } from './delivery.ts';

/** An attempt, with the time before it sends and the time to record its outcome, takes less than this. */
export const CLAIM_MS = 30_000;
/** Writing the outcome is retried until this long after the claim, while the claim is sure to hold. */
const WRITE_DEADLINE_MS = CLAIM_MS - 8000;
const WRITE_RETRY_MS = 500;

/** A delivery that this attempt holds. */
export interface ClaimedDelivery {
  delivery: DeliveryDoc;
  token: string;
  /** Unix ms. */
  at: number;
  elapsedMs(): number;
}

/** Retries a write while the claim holds: a short outage of the database must not send an alert twice. */
export async function retryWhileClaimed<T>(
  clock: Clock, claimed: Pick<ClaimedDelivery, 'elapsedMs'>, signal: AbortSignal, write: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (signal.aborted || claimed.elapsedMs() > WRITE_DEADLINE_MS) throw error;
      await sleep(clock, WRITE_RETRY_MS);
    }
  }
}
