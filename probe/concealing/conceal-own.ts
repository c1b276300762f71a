import { eachMatch } from '../checks/http/literal-search.ts';
import { printable } from '../checks/check.ts';
import { CONCEALED } from './conceal-named.ts';
import { viewsOf, type View } from './decoded-views.ts';

/** Maximum characters of a truncated secret that may stay visible. */
const MAX_SHOWN_PREFIX = 3;
/** Above this many secrets times encodings found, the whole text is withheld. */
const MAX_SEARCHES = 300;
/** Base64 of a longer text is recognized by its start. */
const BASE64_BYTES = 192;
/** Fewer characters are in nearly every word. */
const MIN_BASE64_LENGTH = 4;

/** The encodings of a monitor's secrets to search for. */
export interface Needles {
  texts: readonly string[];
  /** In base64, whatever precedes and follows the secret. */
  base64: readonly string[];
}

/** Computed once for all texts of a monitor. `maxLength` is the maximum length of these texts. */
export function needlesOf(secrets: readonly string[], maxLength: number): Needles {
  const texts = new Set<string>();
  const base64 = new Set<string>();
  for (const secret of secrets) {
    // Undecoded bytes are shown as one character each.
    const bytes = Buffer.from(secret).toString('latin1');
    const asJson = JSON.stringify(secret).slice(1, -1);
    const forms = [secret, bytes, asJson, printable(secret), printable(bytes)];
    for (const form of forms) texts.add(form.slice(0, maxLength));
    for (const form of [Buffer.from(secret), Buffer.from(secret, 'latin1')]) {
      const parts = base64Of(form.subarray(0, BASE64_BYTES));
      for (const part of parts.filter(({ length }) => length >= MIN_BASE64_LENGTH)) base64.add(part);
    }
  }
  return { texts: [...texts], base64: [...base64] };
}

/**
 * Replaces secrets with `***`: plain, URL-encoded, escaped as in JSON or HTML, in base64, and truncated at
 * the end of the text or at `cut` markers. Runs in time linear in the text per secret.
 */
export function concealOwn(text: string, needles: Needles, cut?: string): string {
  if (needles.texts.length === 0) return text;
  const isConcealed = new Uint8Array(text.length);
  const parts = cut === undefined ? [] : text.split(cut);
  let isDone = markAll(text, needles, isConcealed);
  let from = 0;
  for (const part of parts) {
    isDone &&= markAll(part, needles, isConcealed.subarray(from, from + part.length));
    from += part.length + (cut?.length ?? 0);
  }
  return isDone ? withoutMarked(text, isConcealed) : CONCEALED;
}

/** Marks the characters of secrets; false if there are too many to search for. */
function markAll(text: string, { texts, base64 }: Needles, isConcealed: Uint8Array): boolean {
  const spanOfRun: SpanOf = (from, to) => [beginOfRun(text, from), endOfRun(text, to)];
  let searches = 0;
  for (const view of viewsOf(text)) {
    // Fast path: it is nearly always absent.
    const mayHold = (needle: string): boolean => view.text.includes(needle.slice(0, MAX_SHOWN_PREFIX + 1));
    const [asText, inBase64] = [texts.filter(mayHold), base64.filter(mayHold)];
    searches += asText.length + inBase64.length;
    if (searches > MAX_SEARCHES) return false;
    for (const needle of asText) mark(view, needle, isConcealed, (from, to) => [from, to]);
    for (const needle of inBase64) mark(view, needle, isConcealed, spanOfRun);
  }
  return true;
}

/** The base64 characters that depend on `bytes` alone, for each alignment in a group of three. */
function base64Of(bytes: Buffer): string[] {
  const parts = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64url');
    const whole = Math.floor(((offset + bytes.length) * 8) / 6);
    return encoded.slice(Math.ceil((offset * 8) / 6), whole);
  });
  return [...parts, ...parts.map((part) => part.replaceAll('-', '+').replaceAll('_', '/'))];
}

type SpanOf = (from: number, to: number) => [number, number];

function mark(view: View, needle: string, isConcealed: Uint8Array, spanOf: SpanOf): void {
  let done = 0;
  const markFrom = (from: number, to: number): void => {
    if (to <= done) return;
    const [begin, end] = spanOf(Math.max(from, done), to);
    isConcealed.fill(1, begin, end);
    done = end;
  };
  const matched = eachMatch(view.text, needle, (end) => {
    markFrom(view.at[end - needle.length] as number, view.at[end] as number);
    return false;
  });
  if (matched > MAX_SHOWN_PREFIX) markFrom(view.at[view.text.length - matched] as number, isConcealed.length);
}

function beginOfRun(text: string, from: number): number {
  let begin = from;
  while (begin > 0 && isOfBase64(text.charCodeAt(begin - 1))) begin -= 1;
  return begin;
}

function endOfRun(text: string, to: number): number {
  let end = to;
  while (end < text.length && isOfBase64(text.charCodeAt(end))) end += 1;
  return end;
}

/** From either alphabet (RFC 4648, 4 and 5), or `%`, which may encode `+` and `/`. */
function isOfBase64(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
    || unit === 0x2b || unit === 0x2f || unit === 0x2d || unit === 0x5f || unit === 0x25;
}

function withoutMarked(text: string, isConcealed: Uint8Array): string {
  let shown = '';
  let at = 0;
  for (let from = isConcealed.indexOf(1); from >= 0; from = isConcealed.indexOf(1, at)) {
    const to = isConcealed.indexOf(0, from);
    shown += text.slice(at, from) + CONCEALED;
    at = to < 0 ? text.length : to;
  }
  return shown + text.slice(at);
}
