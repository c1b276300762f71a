import { request as httpRequest, type Agent, type IncomingMessage } from 'node:http';
import type { FuzzRequest } from './make-request.ts';

export interface FuzzResponse {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  durationMs: number;
}

/** Without a response for this long, the controller counts as hanging. */
const HANG_TIMEOUT_MS = 120_000;

/** The body as sent: text, bytes or nothing. */
export function sentBody(request: FuzzRequest): string | Buffer | undefined {
  if (request.rawBody !== undefined) return request.rawBody;
  return request.body === undefined ? undefined : JSON.stringify(request.body);
}

export function targetOf(request: FuzzRequest): string {
  return request.query === '' ? request.path : `${request.path}?${request.query}`;
}

/**
 * The response, or null if the request was cut off on purpose. A stream is closed after its headers. Rejects if the
 * connection breaks or no response arrives.
 */
export function send(
  url: string, request: FuzzRequest, credential: Record<string, string>, agent: Agent,
): Promise<FuzzResponse | null> {
  const body = sentBody(request);
  const startedAt = performance.now();
  const headers: Record<string, string | number> = { ...request.headers, ...credential };
  if (body !== undefined && (request.isChunked || headers['transfer-encoding'] !== undefined)) {
    headers['transfer-encoding'] = 'chunked';
  } else if (body !== undefined) headers['content-length'] = Buffer.byteLength(body);
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      hostname, port, method: request.method, path: targetOf(request), headers,
      agent: request.isCutOff ? false : agent, timeout: HANG_TIMEOUT_MS,
    });
    sent.on('timeout', () => sent.destroy(new Error(`no response in ${HANG_TIMEOUT_MS} ms`)));
    sent.on('error', (error) => (request.isCutOff ? resolve(null) : reject(error)));
    sent.on('response', (response) => {
      const done = (text: string) => resolve({
        status: response.statusCode ?? 0, headers: response.headers, text,
        durationMs: performance.now() - startedAt,
      });
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.on('error', () => undefined);
        done('');
        sent.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(Buffer.concat(chunks).toString()));
      response.on('error', reject);
    });
    if (request.isCutOff && body !== undefined) {
      sent.write(
        Buffer.from(body).subarray(0, Math.floor(Buffer.byteLength(body) / 2)), () => sent.destroy(),
      );
      return;
    }
    sent.end(body);
  });
}

/** A command that repeats the request. */
export function asCommand(url: string, request: FuzzRequest, credential: Record<string, string>): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const headers = Object.entries({ ...request.headers, ...credential }).map(
    ([name, value]) => `-H ${quote(`${name}: ${value}`)}`,
  );
  const body = sentBody(request);
  const data = body === undefined
    ? []
    : [`--data-binary ${quote(typeof body === 'string' ? body.slice(0, 2000) : `<${body.toString('hex')
      .slice(0, 200)}>`)}`];
  return [
    'curl -i --path-as-is', `-X ${request.method}`, quote(`${url}${targetOf(request).slice(0, 1000)}`),
    ...headers, ...data,
  ].join(' ');
}
