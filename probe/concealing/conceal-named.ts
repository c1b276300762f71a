import { isCredentialName } from './secrets.ts';

/** Replaces a credential. */
export const CONCEALED = '***';

/** Names, words and tokens. */
const RUN = /[\w.-]+/g;
/**
 * Separates a name from its value in JSON (also nested in a text), forms, headers, URLs, code, XML and HTML.
 */
const LINK = /(?:\\{0,3}["']|&quot;|&#39;)?\s{0,8}(?:(?:value|content)\s{0,4})?(=>|[:=>]|%3[AaDd])\s{0,8}/y;
/** From an HTML field's name to its value. */
const VALUE_ATTRIBUTE = /["'][^<>]{0,200}?\svalue=/y;
const QUOTE = /\\{0,3}["']|&quot;|&#39;/y;
const END_OF_VALUE = /[\r\n,;&<>}\])"']|%26/g;
const END_OF_FIELD = /[\s,;&<>}\])"']|%26/g;
const END_OF_COOKIES = /[\r\n<"]/g;
/** Values that only state whether there is a credential. */
const NO_CREDENTIAL = /^(?:true|false|null|undefined|\d{1,3})$/;
const SCHEME = /^(?:bearer|basic)$/i;
const SCHEME_VALUE = /(?:\s{1,4}|%20|\+)([\w.~+/=-]{4,})/y;
const JWT_PREFIX = 'eyJ';
const MIN_JWT_LENGTH = 12;

/** A range of text to conceal. */
type Span = readonly [from: number, to: number];

/**
 * Replaces likely credentials with `***`: values of fields with credential names, what follows `Bearer` or
 * `Basic`, and JSON Web Tokens. Runs in linear time.
 */
export function concealNamed(text: string): string {
  let shown = '';
  let at = 0;
  RUN.lastIndex = 0;
  for (let run = RUN.exec(text); run !== null; run = RUN.exec(text)) {
    const span = jwtIn(text, run.index, run[0]) ?? afterScheme(text, run.index, run[0])
      ?? valueOf(text, run.index, run[0]);
    if (span === null || span[1] <= span[0]) continue;
    shown += text.slice(at, span[0]) + CONCEALED;
    [, at] = span;
    RUN.lastIndex = Math.max(at, RUN.lastIndex);
  }
  return shown + text.slice(at);
}

/** A token truncated by the end of the text still counts. */
function jwtIn(text: string, start: number, run: string): Span | null {
  const from = run.indexOf(JWT_PREFIX);
  if (from < 0 || run.length - from < MIN_JWT_LENGTH) return null;
  const end = start + run.length;
  return run.includes('.', from) || end === text.length ? [start + from, end] : null;
}

function afterScheme(text: string, start: number, run: string): Span | null {
  if (!SCHEME.test(run)) return null;
  const found = matchAt(SCHEME_VALUE, text, start + run.length);
  return found && [found.end - (found.groups[1] as string).length, found.end];
}

function valueOf(text: string, start: number, run: string): Span | null {
  if (!isCredentialName(run)) return null;
  const after = start + run.length;
  const link = matchAt(LINK, text, after);
  if (link?.groups[1] === '>') return isOpeningTag(text, start) ? spanTo(text, link.end, '<') : null;
  if (link) return spanOfValue(text, link.end, isOfField(link.groups[1]) ? END_OF_FIELD : endFor(run));
  const attribute = matchAt(VALUE_ATTRIBUTE, text, after);
  return attribute && spanOfValue(text, attribute.end, END_OF_FIELD);
}

function isOfField(link: string | undefined): boolean {
  return link === '=' || link?.startsWith('%') === true;
}

function endFor(name: string): RegExp {
  return /cookie/i.test(name) ? END_OF_COOKIES : END_OF_VALUE;
}

function isOpeningTag(text: string, start: number): boolean {
  return text[start - 1] === '<' || text[start - 1] === ':';
}

function spanOfValue(text: string, start: number, ends: RegExp): Span | null {
  const quote = matchAt(QUOTE, text, start);
  if (quote) return [quote.end, closingQuote(text, quote.end, quote.groups[0] as string)];
  if (text[start] === '[') return spanTo(text, start + 1, ']');
  if (text[start] === '{') return null;
  ends.lastIndex = start;
  const end = ends.exec(text)?.index ?? text.length;
  return NO_CREDENTIAL.test(text.slice(start, Math.min(end, start + 20)).trim()) ? null : [start, end];
}

function spanTo(text: string, start: number, stop: string): Span {
  const end = text.indexOf(stop, start);
  return [start, end < 0 ? text.length : end];
}

/** Quotes within the value are escaped by a backslash. */
function closingQuote(text: string, start: number, quote: string): number {
  for (let at = text.indexOf(quote, start); at >= 0; at = text.indexOf(quote, at + 1)) {
    if (at === start || text[at - 1] !== '\\') return at;
  }
  return text.length;
}

function matchAt(pattern: RegExp, text: string, at: number): { groups: RegExpExecArray; end: number } | null {
  pattern.lastIndex = at;
  const groups = pattern.exec(text);
  return groups && { groups, end: pattern.lastIndex };
}
