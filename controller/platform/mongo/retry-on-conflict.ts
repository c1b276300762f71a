import { AppError } from '../../errors/app-error.ts';

/** Attempts before a contended change gives up. Whenever one fails, another change has succeeded. */
const MAX_ATTEMPTS = 20;

/** The message of a change that gave up. `subject` includes its verb: `The monitor is`. */
export function contended(subject: string): string {
  return `${subject} being changed by another request; try again`;
}

/**
 * Repeats `attempt`, which reads, decides and writes, while it returns null because a concurrent change won.
 * Throws its errors, and CONFLICT if concurrent changes keep winning.
 */
export async function retryOnConflict<T>(
  subject: string, attempt: () => Promise<T | null>, maxAttempts = MAX_ATTEMPTS,
): Promise<T> {
  for (let left = maxAttempts; left > 0; left -= 1) {
    const changed = await attempt();
    if (changed !== null) return changed;
  }
  throw new AppError('CONFLICT', contended(subject));
}
