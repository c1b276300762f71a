const LONGEST_NAME = 100;
const LONGEST_VALUE = 1000;

/** RFC 9110 token. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110 field value in Latin-1: no line breaks, no other control characters. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that frame the message or belong to the connection; a custom value would break the request. */
const FRAMING = new Set([
  'host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'expect', 'te',
  'trailer', 'proxy-connection', 'proxy-authorization', 'http2-settings',
]);

/** Why a custom header cannot be accepted; null when it can, even if one of ours will replace it. */
export function headerProblem(name: string, value: string): string | null {
  if (name.length > LONGEST_NAME) return `Header name must have at most ${LONGEST_NAME} characters`;
  if (!TOKEN.test(name)) return 'Header name must be letters, digits and the like, without spaces';
  if (FRAMING.has(name.toLowerCase())) return 'Header is set by the connection and cannot be chosen';
  if (value.length > LONGEST_VALUE) return `Header value must have at most ${LONGEST_VALUE} characters`;
  if (VALUE.test(value)) return null;
  return 'Header value must not contain line ends, control characters or characters beyond Latin-1';
}

/** True for names, in any case, that a delivery sets itself and a custom header cannot override. */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === 'content-type' || lower === 'user-agent' || lower.startsWith('x-service-');
}
