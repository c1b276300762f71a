import { nextLine, send, wrong, type Dialogue } from './dialogue.ts';

/** HTTP/1.1 up to the status line (RFC 9112, 4): any status proves the protocol. */
export function* http(host: string, port: number, version: string): Dialogue {
  const authority = host.includes(':') ? `[${host}]` : host;
  yield* send([
    'HEAD / HTTP/1.1', `Host: ${authority}:${port}`, `User-Agent: Farwatch/${version}`, 'Accept: */*',
    'Connection: close', '',
  ].join('\r\n'));
  const line = yield* nextLine('the status line');
  if (!/^HTTP\/1\.\d [1-9]\d\d(?: |$)/.test(line)) return yield* wrong('the status line', 'HTTP/1.1', line);
  return '';
}
