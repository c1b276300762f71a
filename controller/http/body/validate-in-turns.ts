import type { z } from 'zod';
import { check, MAX_ISSUES, validationError } from '../input/validation.ts';

/** Items validated before yielding to other requests; takes a few milliseconds. */
const ITEMS_PER_TURN = 100;

interface ListSchema {
  /** Schema of the object with any items in the list. */
  frame: z.ZodType;
  list: string;
  item: z.ZodType;
}

/** Validates the whole object as `validate` does, and yields to other requests between items of the list. */
export async function validateInTurns({ frame, list, item }: ListSchema, value: unknown): Promise<unknown> {
  const { data, issues } = check(frame, value);
  // Issues of the list itself and of unknown fields come after those of its items.
  const isLast = ({ code, path }: (typeof issues)[number]) => {
    return path[0] === list || (code === 'unrecognized_keys' && path.length === 1);
  };
  const at = issues.findIndex(isLast);
  const last = at < 0 ? [] : issues.splice(at);
  // Skips the items if the list itself is invalid, for example too long.
  const elements = last[0]?.path[0] === list ? [] : listOf(value, list);
  const items: unknown[] = [];
  for (const [index, each] of elements.entries()) {
    if (index % ITEMS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    const checked = check(item, each);
    items.push(checked.data);
    for (const issue of checked.issues) issues.push({ ...issue, path: [list, index, ...issue.path] });
    if (issues.length >= MAX_ISSUES) break;
  }
  if (issues.length + last.length > 0) throw validationError([...issues, ...last]);
  return { ...(data as object), [list]: items };
}

function listOf(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  const list: unknown = (value as Record<string, unknown>)[name];
  return Array.isArray(list) ? list : [];
}
