/**
 * The text that a regular expression searches for, if it is one text without alternatives; null for any other
 * expression. `.*` at its ends does not matter.
 */
export function literalOf(expression: string): { text: string; ignoresCase: boolean } | null {
  const ignoresCase = expression.startsWith('(?i)');
  const body = expression.slice(ignoresCase ? 4 : 0).replace(/^(?:\.\*)+|(?:\.\*)+$/g, '');
  const text = body.replace(/\\([^\w\s])/g, '');
  if (body === '' || /[\\^$.|?*+()[\]{}]/.test(text)) return null;
  return { text: body.replace(/\\([^\w\s])/g, '$1'), ignoresCase };
}

/** A text in the notation for bytes of TCP settings. */
export function escapedBytes(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
    .replace(/\p{Cc}/gu, (unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
