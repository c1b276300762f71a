import { z } from 'zod';
import {
  FIELD_NAME, FIELD_VALUE, FRAMING_HEADERS, HEADER_NAMES, headerValue,
} from '../../monitors/settings/header-rules.ts';

const MAX_HEADERS = 50;
const MAX_HEADER_NAME_LENGTH = 100;
const MAX_HEADER_VALUE_LENGTH = 1000;

/** Why a custom header is rejected. Null if it is accepted, even if one of ours will replace it. */
export function headerProblem(name: string, value: string): string | null {
  if (name.length > MAX_HEADER_NAME_LENGTH) return `Header name must be at most ${MAX_HEADER_NAME_LENGTH} characters`;
  if (!FIELD_NAME.test(name)) return 'Header name can only contain letters, digits and token characters, without spaces';
  if (FRAMING_HEADERS.has(name.toLowerCase())) return 'This header is set by the connection and cannot be changed';
  if (value.length > MAX_HEADER_VALUE_LENGTH) return `Header value must be at most ${MAX_HEADER_VALUE_LENGTH} characters`;
  if (FIELD_VALUE.test(value)) return null;
  return 'Header value must not contain line breaks, control characters or characters outside Latin-1';
}

/** True for headers that Farwatch sets itself and custom headers cannot override; ignores case. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === 'content-type' || lower === 'user-agent' || lower.startsWith('x-service-');
}

const anyHeaders = z.record(z.string(), headerValue(MAX_HEADER_VALUE_LENGTH));
export const sentHeaders = anyHeaders.superRefine((record, context) => {
  const all = Object.entries(record);
  const report = (message: string, ...path: string[]) => {
    context.addIssue({ code: 'custom', path, message });
  };
  if (all.length > MAX_HEADERS) report(`At most ${MAX_HEADERS} headers`);
  const seen = new Set<string>();
  for (const [header, value] of all.slice(0, MAX_HEADERS)) {
    const isRepeated = seen.has(header.toLowerCase());
    seen.add(header.toLowerCase());
    const message = isRepeated ? 'Header is listed twice' : headerProblem(header, value);
    if (message !== null) report(message, header.slice(0, 100));
  }
}).meta(HEADER_NAMES).meta({
  title: 'Headers',
  description: `Up to ${MAX_HEADERS}: names of up to 100 characters, values of up to 1,000. `
    + '`Content-Type`, `User-Agent` and `X-Service-*` are accepted but overwritten',
});
