import { FIELD_NAME, FIELD_VALUE, FRAMING_HEADERS } from '../monitors/settings/header-rules.ts';

const MAX_HEADER_NAME_LENGTH = 100;
export const MAX_HEADER_VALUE_LENGTH = 1000;

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
