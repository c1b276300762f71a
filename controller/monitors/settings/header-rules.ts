import { z } from 'zod';

const MAX_HEADERS = 50;
const MAX_NAME_LENGTH = 100;
export const MAX_VALUE_LENGTH = 4096;

const NAME_RULE = `Header name must be a token of at most ${MAX_NAME_LENGTH} characters`;
/** Header name: a token (RFC 9110, 5.1). */
export const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Header value (RFC 9110, 5.5): tab, printable ASCII and obs-text, but no line breaks. */
export const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Limits for header names and their number, for the OpenAPI document. */
export const HEADER_NAMES = {
  propertyNames: { type: 'string', maxLength: MAX_NAME_LENGTH, pattern: FIELD_NAME.source },
  maxProperties: MAX_HEADERS,
};

/** Only describes the value in the OpenAPI document; it is validated together with its header. */
export function headerValue(maxLength: number) {
  return z.string().meta({ maxLength, pattern: FIELD_VALUE.source });
}

/** Headers that frame or route the message. Setting them would allow request smuggling. */
export const FRAMING_HEADERS = new Set([
  'host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer',
  'expect', 'proxy-connection', 'proxy-authorization', 'http2-settings',
]);

/** Problems with the headers of a check, by header. An empty name refers to the headers as a whole. */
export function headerFaults(headers: Record<string, string | null>): { name: string; message: string }[] {
  const entries = Object.entries(headers);
  const message = `Must have at most ${MAX_HEADERS} headers`;
  if (entries.length > MAX_HEADERS) return [{ name: '', message }];
  const seen = new Set<string>();
  return entries.flatMap(([name, value]) => {
    const fault = faultOf(name, value, seen);
    seen.add(name.toLowerCase());
    return fault === null ? [] : [{ name: name.slice(0, MAX_NAME_LENGTH), message: fault }];
  });
}

function faultOf(name: string, value: string | null, seen: Set<string>): string | null {
  if (name.length > MAX_NAME_LENGTH || !FIELD_NAME.test(name)) return NAME_RULE;
  if (FRAMING_HEADERS.has(name.toLowerCase())) return 'This header is set by the check itself';
  if (seen.has(name.toLowerCase())) return 'Header is listed twice';
  if (value === null) return null;
  if (value.length > MAX_VALUE_LENGTH) return `Header value must be at most ${MAX_VALUE_LENGTH} characters`;
  return FIELD_VALUE.test(value) ? null : 'Header value must not contain line breaks or control characters';
}
