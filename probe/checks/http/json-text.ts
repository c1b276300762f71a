import type { JsonPath } from '../../../shared/json-path.ts';

/** The tree of hostile JSON takes over a hundred times its size in memory. */
const MAX_JSON_BYTES = 262_144;

/** A JSON document, or what was received instead. */
export type JsonText = { value: unknown } | { instead: 'nothing' | 'large' | 'text' };

/** Parses JSON text (RFC 8259, in UTF-8). The last of duplicate names wins. */
export function parseJsonText(bytes: Buffer): JsonText {
  if (bytes.length > MAX_JSON_BYTES) return { instead: 'large' };
  const text = bytes.toString();
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { instead: /^[ \t\r\n]*$/.test(text) ? 'nothing' : 'text' };
  }
}

/** The value at a path; undefined if there is none. */
export function valueAt(json: unknown, path: JsonPath): unknown {
  let value = json;
  for (const key of path) {
    if (Array.isArray(value)) value = typeof key === 'number' ? value.at(key) : undefined;
    else if (typeof value === 'object' && value !== null && typeof key === 'string' && Object.hasOwn(value, key)) {
      value = (value as Record<string, unknown>)[key];
    } else return undefined;
  }
  return value;
}
