import type { Hop } from './hops.ts';

/** Headers that frame the message or name its host; users can't set them. */
const OWN_HEADERS = new Set([
  'host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'expect', 'te', 'trailer',
]);
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export interface RequestOptions extends Hop {
  /** Whether the check reads the body's content: then the server may compress it. */
  wantsContent: boolean;
  version: string;
}

/**
 * A whole request as sent. Omits headers that would break the framing or that HTTP can't carry; the schema
 * rejects them earlier, so this is a second line of defence.
 */
export function requestBytes(options: RequestOptions): string | Buffer {
  const { url, method } = options;
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: close\r\n`;
  let hasAgent = false;
  let hasAccept = false;
  let hasEncodings = !options.wantsContent;
  for (const name in options.headers) {
    const value = options.headers[name] as string;
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower) || !NAME.test(name) || !VALUE.test(value)) continue;
    hasAgent ||= lower === 'user-agent';
    hasAccept ||= lower === 'accept';
    hasEncodings ||= lower === 'accept-encoding';
    head += `${name}: ${value}\r\n`;
  }
  if (!hasAgent) head += `User-Agent: Farwatch/${options.version}\r\n`;
  if (!hasAccept) head += 'Accept: */*\r\n';
  if (!hasEncodings) head += 'Accept-Encoding: gzip, deflate, br\r\n';
  return withBody(head, options.body, method);
}

function withBody(head: string, body: string | null, method: Hop['method']): string | Buffer {
  if (body === null || body === '') {
    return method === 'POST' || method === 'PUT' || method === 'PATCH'
      ? `${head}Content-Length: 0\r\n\r\n`
      : `${head}\r\n`;
  }
  const bytes = Buffer.from(body, 'utf8');
  return Buffer.concat([Buffer.from(`${head}Content-Length: ${bytes.length}\r\n\r\n`, 'latin1'), bytes]);
}
