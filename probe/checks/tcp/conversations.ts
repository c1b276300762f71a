import type { TcpSpec } from '../../../shared/contracts/check-spec.ts';
import { LineConversation, type Conversation } from './conversation.ts';
import { ftp } from './ftp.ts';
import { GenericConversation } from './generic.ts';
import { http } from './http.ts';
import { imap } from './imap.ts';
import { pop3 } from './pop3.ts';
import { smtp } from './smtp.ts';
import { ssh } from './ssh.ts';

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
