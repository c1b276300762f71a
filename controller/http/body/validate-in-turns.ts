import type { z } from 'zod';
import { check, MOST_ISSUES, validationError, type ValidationIssue } from '../validation.ts';

/** Between two of these others get their turn: some milliseconds. */
const ITEMS_A_TURN = 100;

/** An object whose last field is a long list. */
export interface ListSchema {
  /** The object, with anything in the list. */
  frame: z.ZodType;
  list: string;
  item: z.ZodType;
}

/** What `validate` says of the whole object, word for word, with turns for others between the items of its list. */
export async function validateInTurns({ frame, list, item }: ListSchema, value: unknown): Promise<unknown> {
  const { data, issues } = check(frame, value);
  // Its own faults and unknown fields come behind those of its items.
  const behind = issues.findIndex(({ code, path }) => path[0] === list || (code === 'unrecognized_keys' && path.length === 1));
  const [first, last] = behind < 0 ? [issues, []] : [issues.slice(0, behind), issues.slice(behind)];
  // A list that is refused itself, for its length or for being none, is not looked into.
  const items = await checkItems({ list, item }, last[0]?.path[0] === list ? [] : listOf(value, list), first);
  const found = [...items.issues, ...last];
  if (found.length > 0) throw validationError(found);
  return { ...(data as object), [list]: items.data };
}

/** What is wrong goes behind `found`, as far as it will be named. */
async function checkItems({ list, item }: Pick<ListSchema, 'list' | 'item'>, given: unknown[], found: ValidationIssue[]): Promise<{ data: unknown[]; issues: ValidationIssue[] }> {
  const issues = [...found];
  const data: unknown[] = [];
  for (const [at, each] of given.entries()) {
    if (at % ITEMS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    const checked = check(item, each);
    data.push(checked.data);
    for (const issue of checked.issues) issues.push({ ...issue, path: [list, at, ...issue.path] });
    if (issues.length >= MOST_ISSUES) break;
  }
  return { data, issues };
}

function listOf(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  const list: unknown = (value as Record<string, unknown>)[name];
  return Array.isArray(list) ? list : [];
}
