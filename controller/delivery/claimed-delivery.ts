import { sleep, type Clock } from '../../shared/time.ts';
import type { DeliveryDoc } from './delivery.ts';

/** Longer than a whole attempt, from the claim to the recorded outcome. */
export const CLAIM_MS = 30_000;
/** Writing the outcome is retried until this long after the claim, well before the claim expires. */
const WRITE_DEADLINE_MS = CLAIM_MS - 8000;
const WRITE_RETRY_MS = 500;

export interface ClaimedDelivery {
  delivery: DeliveryDoc;
  token: string;
  /** When it was claimed, Unix ms. */
  at: number;
  elapsedMs(): number;
}

/**
 * Retries a write while the claim holds, so that a short database outage does not cause a duplicate alert.
 */
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
