/** Values of a file that somebody else's program wrote: nothing about them is certain. */
export type Fields = Readonly<Record<string, unknown>>;

/** Empty unless the value is an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Fields : {};
}

/** Empty unless the value is a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list. */
export function rowsOf(value: unknown): Fields[] {
  return listOf(value).filter((row) => Object.keys(fieldsOf(row)).length > 0) as Fields[];
}

/** A text without space around it, or a number as text; empty for everything else. */
export function textOf(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' ? value.trim() : '';
}

/** A number, or a text that is one; null for everything else. */
export function numberOf(value: unknown): number | null {
  const text = textOf(value);
  return text === '' || !Number.isFinite(Number(text)) ? null : Number(text);
}

export function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true';
}

/** What a JSON text in a field contains; undefined if it is none. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** Texts by name, such as headers. Omits values that are neither text, number nor boolean. */
export function textsOf(value: unknown): Record<string, string> {
  const entries = Object.entries(fieldsOf(value)).map(([name, one]) =>
    [name, typeof one === 'boolean' ? String(one) : typeof one === 'string' ? one : textOf(one)] as const);
  return Object.fromEntries(entries.filter(([, one]) => one !== ''));
}
