import { parseJsonPath } from '../../../shared/json-path.ts';

const NAME = '[A-Za-z_][\\w-]*';
/** A path without functions, filters and wildcards, as most tools write it. */
const SIMPLE = new RegExp(`^(?:${NAME}|\\[\\d+\\])(?:\\.${NAME}|\\[\\d+\\])*$`);

/** The path of Farwatch for a simple one of another tool, with or without `$`; null for any other. */
export function simpleJsonPath(text: string): string | null {
  const rest = text.trim().replace(/^\$\.?/, '');
  if (rest === '') return '$';
  if (!SIMPLE.test(rest)) return null;
  const path = `$${rest.startsWith('[') ? '' : '.'}${rest}`.replace(/\.([\w-]*-[\w-]*)/g, `['$1']`);
  return typeof parseJsonPath(path) === 'string' ? null : path;
}
