const SECRET_HEADER = /auth|cookie|token|secret|key/i;
const MASK = '••••';
/** The API's placeholder for a withheld value. */
export const CONCEALED = '***';

/** A changed field with its label and formatted values; empty for none. */
export interface Change {
  field: string;
  before: string;
  after: string;
}

/** Formats a value in one line, without passwords and tokens. */
export function valueText(path: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value === CONCEALED) return MASK;
  if (typeof value === 'boolean') return value ? '✓' : '✗';
  if (path === 'auth') return authText(value as { type: string; username?: string });
  if (path === 'headers') {
    return Object.entries(value as Record<string, string>)
      .map(([name, text]) => `${name}: ${text === CONCEALED || SECRET_HEADER.test(name) ? MASK : text}`).join('\n');
  }
  if (Array.isArray(value)) return value.map((one) => (typeof one === 'object' ? entryText(one as object) : String(one))).join('\n');
  return typeof value === 'object' ? entryText(value) : String(value as string | number);
}

function authText({ type, username }: { type: string; username?: string }): string {
  return [type, username === CONCEALED ? '' : username, MASK].filter(Boolean).join(' ');
}

/** Keywords, assertions and records: their parts in the order of the form. */
function entryText(entry: object): string {
  const { should_contain: shouldContain, ...rest } = entry as { should_contain?: boolean };
  const sign = shouldContain === undefined ? '' : shouldContain ? '+' : '−';
  return [sign, ...Object.values(rest).flat()].filter((part) => part !== '' && part !== undefined).join(' ');
}
