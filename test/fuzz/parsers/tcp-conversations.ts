import assert from 'node:assert/strict';
import type * as Conversations from '../../../probe/checks/tcp/conversations.ts';
import { TCP_PROTOCOLS, type TcpSpec } from '../../../shared/contracts/check-spec.ts';
import { fuzzedParser, piecesOf } from './fuzzed-parser.ts';

/** Up to this size, no limit depends on the pieces. */
const SMALL_BYTES = 4096;
const MAX_MESSAGE_LENGTH = 1000;

/** In one piece or several, the outcome of small inputs is the same, and messages are short. */
export const tcpConversations = fuzzedParser<typeof Conversations>({
  name: 'tcp-conversations', entry: 'probe/checks/tcp/conversations.ts',
  seeds: [
    '220-mail.test\r\n220 ESMTP\r\n250-mail.test\r\n250-SIZE 1\r\n250 STARTTLS\r\n220 go on\r\n250 mail.test\r\n',
    '+OK ready\r\n+OK\r\nUSER\r\nSTLS\r\n.\r\n+OK\r\n+OK\r\n.\r\n',
    '* OK ready\r\n* CAPABILITY IMAP4rev1 STARTTLS\r\nf1 OK done\r\nf2 OK\r\n* CAPABILITY IMAP4rev1\r\nf3 OK\r\n',
    '220-Welcome\r\n 999 visitors\r\n220 ready\r\n234 go on\r\n221 bye\r\n',
    'Maintenance\r\nSSH-2.0-OpenSSH_9.2p1 Debian\r\n', 'HTTP/1.1 200 OK\r\nServer: x\r\n\r\n',
    '\u001b[31m\0\u0007\r\n', 'x'.repeat(5000), '+PONG',
  ],
  feed: ({ conversationOf }, bytes, random) => {
    const spec: TcpSpec = {
      type: 'TCP', host: 'a.test', port: 1, protocol: random.pick(TCP_PROTOCOLS), protocol_validation: true,
      tls: random.pick(['none', 'starttls']), send: 'PING', expect: 'PONG',
    };
    const talk = (pieces: readonly Buffer[]) => {
      const conversation = conversationOf(spec, { address: '192.0.2.7', version: '1' });
      let { send, next } = conversation.begin();
      for (const piece of pieces) {
        const move = next === 'secure' ? conversation.secured() : next === 'read' ? conversation.push(piece) : null;
        if (!move) break;
        send += move.send;
        next = move.next;
      }
      return { send, next };
    };
    const whole = talk([bytes]);
    const pieced = talk(piecesOf(bytes, random, Math.max(64, bytes.length / 20)));
    if (spec.tls === 'none' && bytes.length <= SMALL_BYTES) assert.deepEqual(pieced, whole);
    for (const { next } of [whole, pieced]) {
      if (typeof next === 'object') assert.ok(next.message.length <= MAX_MESSAGE_LENGTH);
    }
  },
});
