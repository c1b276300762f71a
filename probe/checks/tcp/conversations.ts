import type { TcpSpec } from '../../../shared/contracts/check-spec.ts';
import { LineConversation, type Conversation } from './conversation.ts';
import { ftp } from './ftp.ts';
import { GenericConversation } from './generic.ts';
import { http } from './http.ts';
import { imap } from './imap.ts';
import { pop3 } from './pop3.ts';
import { smtp } from './smtp.ts';
import { ssh } from './ssh.ts';

/** What a conversation says of this side. */
export interface Client {
  /** Address of this side of the connection. */
  address: string;
  /** Of this software. */
  version: string;
}

/**
 * What a connection of this monitor talks. Without `protocol_validation` that is what `starttls` or `expect`
 * need, and mostly nothing.
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

/** RFC 5321 4.1.3: how a client without a name of its own introduces itself. */
function addressLiteral(address: string): string {
  return address.includes(':') ? `[IPv6:${address}]` : `[${address}]`;
}
