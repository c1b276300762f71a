/** An address that must not be connected to; the message says why. */
export class RefusedAddress extends Error {}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the receiver',
  EPIPE: 'connection closed by the receiver',
  UND_ERR_SOCKET: 'connection closed by the receiver',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the response has too many headers',
  EMFILE: 'Farwatch has no file descriptors left',
};

const MAX_REASON_LENGTH = 300;

/** Why a connection failed, for the owner of the destination; never contains response text. */
export function connectionFailure(error: unknown): string {
  // With several addresses, an AggregateError holds all failures; the first one is enough.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { code = '', message } = (first ?? {}) as { code?: string; message?: string };
  if (REASONS[code] !== undefined) return REASONS[code];
  if (/CERT|SSL|TLS|SIGNATURE|SELF_SIGNED|ISSUER/.test(code)) return `TLS: ${readable(message ?? code)}`;
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  return readable(message ?? (code || 'unknown failure'));
}

function readable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, MAX_REASON_LENGTH);
}
