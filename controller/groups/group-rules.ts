import { AppError } from '../errors/app-error.ts';
import type { GroupListInput } from './schema.ts';

const MAX_PAGE_SIZE = 100;

/** Throws INVALID_PAGE, INVALID_LIMIT. */
export function pageOf(query: GroupListInput): { page: number; limit: number } {
  const page = wholeNumber(query.page);
  if (page < 1) throw new AppError('INVALID_PAGE', 'Page must be a positive whole number');
  const limit = wholeNumber(query.limit);
  if (limit >= 1 && limit <= MAX_PAGE_SIZE) return { page, limit };
  throw new AppError('INVALID_LIMIT', `Limit must be a whole number from 1 to ${MAX_PAGE_SIZE}`);
}

/** -1 if the text is not a whole number. */
function wholeNumber(text: string): number {
  return /^\d{1,12}$/.test(text) ? Number(text) : -1;
}

/** `down` if all monitors fail, `unknown` if there are none. */
export function healthOf(monitors: number, failing: number): 'healthy' | 'degraded' | 'down' | 'unknown' {
  if (monitors === 0) return 'unknown';
  if (failing === 0) return 'healthy';
  return failing === monitors ? 'down' : 'degraded';
}

/** A running mean that skips missing values; 0 without values. */
export class Mean {
  #sum = 0;
  #count = 0;

  add(value: number | null | undefined): void {
    if (typeof value !== 'number') return;
    this.#sum += value;
    this.#count += 1;
  }

  get value(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }
}
