import type { Value } from '../bson/value.ts';

/** A parsed filter. Paths are split byte strings; `name` is the dotted path. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | Condition;

export type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte';

export type Condition =
  | { readonly kind: Comparison; readonly name: string; readonly path: readonly string[]; readonly value: Value }
  | { readonly kind: 'in'; readonly name: string; readonly path: readonly string[]; readonly values: readonly Value[] }
  | { readonly kind: 'exists'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'regex'; readonly name: string; readonly path: readonly string[]; readonly pattern: RegExp; readonly prefix: string | null };

/** The conditions that all must hold: the filter itself or the parts of its ands. */
export function conjuncts(filter: Filter, out: Filter[] = []): Filter[] {
  if (filter.kind === 'and') for (const part of filter.of) conjuncts(part, out);
  else out.push(filter);
  return out;
}
