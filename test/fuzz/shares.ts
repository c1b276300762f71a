import type { FuzzReport } from './run-fuzz.ts';

/** Shares that a run must reach, so that most requests get past authentication and validation. */
export function missingShares({ requests, authenticated, succeeded }: FuzzReport): string[] {
  const found: string[] = [];
  if (authenticated < requests / 2) {
    found.push(`only ${authenticated} of ${requests} requests had a valid credential`);
  }
  if (succeeded < requests / 5) found.push(`only ${succeeded} of ${requests} requests succeeded`);
  return found;
}
