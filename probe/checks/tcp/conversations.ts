import type { TcpSpec } from '../../../shared/contracts/check-spec.ts';
import { type Conversation, LineConversation } from './conversation.ts';
import { type Dialogue, nextLine, response, send, wrong } from './dialogue.ts';
import { GenericConversation } from './generic.ts';
import { imap } from './imap.ts';
import { pop3 } from './pop3.ts';
import { smtp } from './smtp.ts';

/** How the client introduces itself. */
export interface Client {
  /** Local address of the connection. */
  address: string;
  /** Probe version. */
  version: string;
}

/**
 * The conversation for a monitor. Without `protocol_validation` it does only what `starttls` or `expect`
 * need, usually nothing.
 */
export function conversationOf(spec: TcpSpec, client: Client): Conversation {
  const useStartTls = spec.tls === 'starttls';
  if (!spec.protocol_validation && !useStartTls) return new GenericConversation(spec.send, spec.expect);
  switch (spec.protocol) {
    case 'smtp': return new LineConversation(smtp(addressLiteral(client.address), useStartTls));
    case 'pop3': return new LineConversation(pop3(useStartTls));
    case 'imap': return new LineConversation(imap(useStartTls));
    case 'ftp': return new LineConversation(ftp(useStartTls));
    case 'ssh': return new LineConversation(ssh(client.version));
    case 'http':
    case 'https': return new LineConversation(http(spec.host, spec.port, client.version));
    case 'generic': return new GenericConversation(spec.send, spec.expect);
  }
}

/** How a client without a host name introduces itself (RFC 5321, 4.1.3). */
function addressLiteral(address: string): string {
  return address.includes(':') ? `[IPv6:${address}]` : `[${address}]`;
}

/** FTP (RFC 959; AUTH TLS: RFC 4217). Over TLS, the response to QUIT proves that the service continues. */
export function* ftp(useAuthTls: boolean): Dialogue {
  yield* response('the greeting', 220);
  if (!useAuthTls) return 'QUIT\r\n';
  yield* send('AUTH TLS');
  yield* response('the reply to AUTH TLS', 234, 'tls');
  yield { kind: 'secure' };
  yield* send('QUIT');
  yield* response('the reply to QUIT', 221);
  return '';
}

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

/** Maximum characters of a version line without its end (RFC 4253, 4.2). */
const MAX_VERSION_LENGTH = 253;

/**
 * The version exchange (RFC 4253, 4.2), including ours so that the server sees a regular client. The server
 * may send other lines first; 1.99 means 2.0 in compatibility mode (5.1).
 */
export function* ssh(version: string): Dialogue {
  let line = yield* nextLine('the version line');
  while (!line.startsWith('SSH-')) line = yield* nextLine('the version line');
  if (!/^SSH-(?:2\.0|1\.99)-[\x20-\x7e]+$/.test(line) || line.length > MAX_VERSION_LENGTH) {
    return yield* wrong('the version line', 'SSH-2.0-…', line);
  }
  return `SSH-2.0-Farwatch_${version.replace(/[^0-9A-Za-z.]/g, '_')}\r\n`;
}
