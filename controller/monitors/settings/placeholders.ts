import type { MonitorDoc } from '../monitor.ts';
import type { HttpAuth } from './sent-settings.ts';

export const VARIABLE_NAME = /^[a-z][a-z0-9_]{0,63}$/;
/** Most names are invalid: they are reported rather than sent to the target. */
const PLACEHOLDER = '\\{\\{([ \\t]*[\\w.-]{1,100}[ \\t]*)\\}\\}';
const IN_TEXT = new RegExp(`\\\\\\{\\{|${PLACEHOLDER}`, 'g');
/** Where backslashes escape: two of them are one. */
const IN_ESCAPED_TEXT = new RegExp(`\\\\\\\\|\\\\\\{\\{|${PLACEHOLDER}`, 'g');
const OPEN = '{{';

/** The settings in which variables are replaced. */
export type Fillable = Pick<MonitorDoc, 'target' | 'http' | 'keyword' | 'tcp'>;

/** Whether the text contains a placeholder or `\{{`. */
export function hasPlaceholder(text: string): boolean {
  return text.includes(OPEN) && text.search(IN_TEXT) >= 0;
}

/** The text that `replacePlaceholders` turns into this one. */
export function withoutPlaceholders(text: string): string {
  return hasPlaceholder(text) ? text.replaceAll(OPEN, `\\${OPEN}`) : text;
}

/** Each `\{{` becomes `{{`, and each placeholder what `valueOf` returns for its name. */
export function replacePlaceholders(text: string, valueOf: (name: string) => string): string {
  if (!text.includes(OPEN)) return text;
  return text.replace(IN_TEXT, (_found, name?: string) => (name === undefined ? OPEN : valueOf(name)));
}

/** The same for a text in which `\r`, `\x00` and so on are escapes; values are escaped. */
export function replaceInEscaped(text: string, valueOf: (name: string) => string): string {
  if (!text.includes(OPEN)) return text;
  return text.replace(IN_ESCAPED_TEXT, (found, name?: string) => {
    if (name !== undefined) return escaped(valueOf(name));
    return found === '\\\\' ? found : OPEN;
  });
}

function escaped(value: string): string {
  return value.replace(/[\\\p{Cc}]/gu, (unit) =>
    (unit === '\\' ? '\\\\' : [...Buffer.from(unit)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')));
}

/**
 * The settings with their placeholders replaced. `valueOf` gets the name, and the path of the field as in a
 * request.
 */
export function fill<Doc extends Fillable>(
  doc: Doc, valueOf: (name: string, path: (string | number)[]) => string,
): Doc {
  const { http, keyword, tcp } = doc;
  const at = (path: (string | number)[]) => (name: string) => valueOf(name, path);
  const text: FillText = (value, ...path) => replacePlaceholders(value, at(path));
  return {
    ...doc,
    target: text(doc.target, 'target'),
    http: http && {
      ...http,
      headers: Object.fromEntries(Object.entries(http.headers).map(([name, value]) => [name, text(value, 'headers', name)])),
      body: http.body === null ? null : text(http.body, 'body'),
      auth: http.auth && filledAuth(http.auth, text),
    },
    keyword: keyword && {
      ...keyword,
      keywords: keyword.keywords.map((one, index) => ({ ...one, text: text(one.text, 'keywords', index, 'text') })),
    },
    tcp: tcp?.send ? { ...tcp, send: replaceInEscaped(tcp.send, at(['send'])) } : tcp,
  };
}

type FillText = (value: string, ...path: (string | number)[]) => string;

function filledAuth(auth: HttpAuth, text: FillText): HttpAuth {
  if (auth.type === 'bearer') return { type: 'bearer', token: text(auth.token, 'auth', 'token') };
  const { type, username, password } = auth;
  return { type, username: text(username, 'auth', 'username'), password: text(password, 'auth', 'password') };
}
