import type { FuzzReport } from './run-fuzz.ts';

/** The shares that a run has to reach, so that most of what is sent gets further than the door. */
export function missingShares({ requests, authenticated, succeeded }: FuzzReport): string[] {
  const found: string[] = [];
  if (authenticated < requests / 2) {
    found.push(`only ${authenticated} of ${requests} requests had a good credential`);
  }
  if (succeeded < requests / 4) found.push(`only ${succeeded} of ${requests} requests succeeded`);
  return found;
}
