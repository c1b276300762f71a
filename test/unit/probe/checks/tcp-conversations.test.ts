import { describe, expect, test } from 'vitest';
import { LIMITS, type Conversation, type Move } from '../../../../probe/checks/tcp/conversation.ts';
import { conversationOf } from '../../../../probe/checks/tcp/conversations.ts';
import type { TcpSpec } from '../../../../shared/contracts/check-spec.ts';
import { buildTcpSpec } from '../build.ts';

const CLIENT = { address: '192.0.2.7', version: '1.2' };
const TLS = '<TLS>';

/** The transcript of both sides, ours with `> `, until the conversation ends or the service has no more lines. */
function talk(spec: Partial<TcpSpec>, service: readonly string[], client = CLIENT): string[] {
  const conversation = conversationOf(buildTcpSpec(spec), client);
  const log: string[] = [];
  const note = ({ send, next }: Move): Move['next'] => {
    if (send !== '') log.push(...send.split('\r\n').filter(Boolean).map((line) => `> ${line}`));
    if (next !== 'read') log.push(typeof next === 'object' ? `! ${next.type} ${next.layer}: ${next.message}` : next);
    return next;
  };
  let next = note(conversation.begin());
  for (const text of service) {
    if (next === 'secure') next = note(conversation.secured());
    if (next !== 'read') break;
    if (text !== TLS) next = note(conversation.push(Buffer.from(text, 'latin1')));
  }
  return log;
}

/** The message of the fault that ends the conversation. */
const faultOf = (spec: Partial<TcpSpec>, ...service: string[]): string => talk(spec, service).at(-1) ?? '';

describe('a conversation', () => {
  test.each<[string, Partial<TcpSpec>, string[], string[]]>([
    ['SMTP', { protocol: 'smtp' }, [
      '220-mail.test\r\n220 ESMTP\r\n', '250-mail.test\r\n250-SIZE 1\r\n250 HELP\r\n',
    ], ['> EHLO [192.0.2.7]', '> QUIT', 'close']],
    ['SMTP with STARTTLS', { protocol: 'smtp', tls: 'starttls' }, [
      '220 mail.test\r\n', '250-mail.test\r\n250 starttls\r\n', '220 go on\r\n', TLS, '250 mail.test\r\n',
    ], ['> EHLO [192.0.2.7]', '> STARTTLS', 'secure', '> EHLO [192.0.2.7]', '> QUIT', 'close']],
    ['POP3', { protocol: 'pop3' }, ['+OK ready\r\n', '+OK\r\nUSER\r\nSTLS\r\n.\r\n'], [
      '> CAPA', '> QUIT', 'close',
    ]],
    ['POP3 without CAPA', { protocol: 'pop3' }, ['+OK\r\n', '-ERR what?\r\n'], ['> CAPA', '> QUIT', 'close']],
    ['POP3 with STLS', { protocol: 'pop3', tls: 'starttls' }, [
      '+OK ready\r\n', '+OK\r\nSTLS\r\n.\r\n', '+OK\r\n', TLS, '+OK\r\n.\r\n',
    ], ['> CAPA', '> STLS', 'secure', '> CAPA', '> QUIT', 'close']],
    ['IMAP', { protocol: 'imap' }, [
      '* OK ready\r\n', '* CAPABILITY IMAP4rev1\r\nf1 OK done\r\n',
    ], ['> f1 CAPABILITY', '> f4 LOGOUT', 'close']],
    ['IMAP with STARTTLS', { protocol: 'imap', tls: 'starttls' }, [
      '* PREAUTH\r\n', '* capability imap4rev1 starttls\r\nf1 ok\r\n', 'f2 OK\r\n', TLS,
      '* CAPABILITY IMAP4rev2\r\nf3 OK\r\n',
    ], ['> f1 CAPABILITY', '> f2 STARTTLS', 'secure', '> f3 CAPABILITY', '> f4 LOGOUT', 'close']],
    ['FTP', { protocol: 'ftp' }, ['220-Welcome\r\n 999 visitors\r\nfiles\r\n220 ready\r\n'], ['> QUIT', 'close']],
    ['FTP with AUTH TLS', { protocol: 'ftp', tls: 'starttls' }, [
      '220 ready\n', '234 go on\n', TLS, '221 bye\n',
    ], ['> AUTH TLS', 'secure', '> QUIT', 'close']],
    ['SSH', { protocol: 'ssh' }, ['Maintenance on Friday\r\nSSH-2.0-OpenSSH_9.2p1 Debian\r\n'], [
      '> SSH-2.0-Farwatch_1.2', 'close',
    ]],
    ['HTTP', { protocol: 'http', host: 'shop.test', port: 8080 }, ['HTTP/1.1 503 Oh no\r\n'], [
      '> HEAD / HTTP/1.1', '> Host: shop.test:8080', '> User-Agent: Farwatch/1.2', '> Accept: */*',
      '> Connection: close', 'close',
    ]],
    ['a generic service', { send: 'PING\r\n', expect: '+PONG' }, ['+PO', 'NG\r\n'], ['> PING', 'close']],
    ['a service without an expectation', { send: 'PING\r\n' }, [], ['> PING', 'close']],
    ['a service without validation', { protocol: 'smtp', protocol_validation: false }, [], ['close']],
  ])('with %s follows the protocol, also when it arrives byte by byte', (_name, spec, service, log) => {
    expect(talk(spec, service)).toEqual(log);
    expect(talk(spec, service.flatMap((text) => (text === TLS ? [text] : [...text])))).toEqual(log);
  });

  test('introduces itself to SMTP servers by its IPv6 address too', () => {
    const [first] = talk({ protocol: 'smtp' }, ['220 x\r\n'], { ...CLIENT, address: '2001:db8::7' });
    expect(first).toBe('> EHLO [IPv6:2001:db8::7]');
  });

  test.each<[string, Partial<TcpSpec>, string[], string]>([
    [
      'SMTP that refuses', { protocol: 'smtp' }, ['554 no\r\n'],
      '! connection_error response: Expected 220 as the greeting, got "554 no"',
    ],
    [
      'SSH for SMTP', { protocol: 'smtp' }, ['SSH-2.0-x\r\n'],
      '! connection_error response: Expected 220 as the greeting, got "SSH-2.0-x"',
    ],
    [
      'an empty line for SMTP', { protocol: 'smtp' }, ['\r\n'],
      '! connection_error response: Expected 220 as the greeting, got an empty line',
    ],
    [
      'SMTP that does not know EHLO', { protocol: 'smtp' }, ['220 x\r\n', '502 what?\r\n'],
      '! connection_error response: Expected 250 as the reply to EHLO, got "502 what?"',
    ],
    [
      'SMTP without STARTTLS', { protocol: 'smtp', tls: 'starttls' }, ['220 x\r\n', '250 x\r\n'],
      '! ssl_error tls: Expected the server to offer STARTTLS, but it did not',
    ],
    [
      'SMTP that refuses STARTTLS', { protocol: 'smtp', tls: 'starttls' },
      ['220 x\r\n', '250-x\r\n250 STARTTLS\r\n', '454 later\r\n'],
      '! ssl_error tls: Expected 220 as the reply to STARTTLS, got "454 later"',
    ],
    [
      'POP3 that is shut', { protocol: 'pop3' }, ['-ERR shut\r\n'],
      '! connection_error response: Expected +OK as the greeting, got "-ERR shut"',
    ],
    [
      'POP3 without STLS', { protocol: 'pop3', tls: 'starttls' }, ['+OK\r\n', '+OK\r\nUSER\r\n.\r\n'],
      '! ssl_error tls: Expected the server to offer STLS, but it did not',
    ],
    [
      'IMAP that is shut', { protocol: 'imap' }, ['* BYE shut\r\n'],
      '! connection_error response: Expected * OK or * PREAUTH as the greeting, got "* BYE shut"',
    ],
    [
      'IMAP that is none', { protocol: 'imap' }, ['* OK\r\n', 'f1 OK\r\n'],
      '! connection_error response: Expected IMAP4rev1 as the reply to CAPABILITY, got an empty line',
    ],
    [
      'IMAP that refuses STARTTLS', { protocol: 'imap', tls: 'starttls' },
      ['* OK\r\n', '* CAPABILITY IMAP4rev1 STARTTLS\r\nf1 OK\r\n', 'f2 NO not now\r\n'],
      '! ssl_error tls: Expected f2 OK as the reply to STARTTLS, got "f2 NO not now"',
    ],
    [
      'FTP that is full', { protocol: 'ftp' }, ['421 too many\r\n'],
      '! connection_error response: Expected 220 as the greeting, got "421 too many"',
    ],
    [
      'FTP without TLS', { protocol: 'ftp', tls: 'starttls' }, ['220 x\r\n', '530 log in\r\n'],
      '! ssl_error tls: Expected 234 as the reply to AUTH TLS, got "530 log in"',
    ],
    [
      'SSH of the first version', { protocol: 'ssh' }, ['SSH-1.5-old\r\n'],
      '! connection_error response: Expected SSH-2.0-… as the version line, got "SSH-1.5-old"',
    ],
    [
      'HTTP/2 for HTTP', { protocol: 'http' }, ['HTTP/2 200\r\n'],
      '! connection_error response: Expected HTTP/1.1 as the status line, got "HTTP/2 200"',
    ],
  ])('with %s reports what was expected and received', (_name, spec, service, message) => {
    expect(faultOf(spec, ...service)).toBe(message);
  });

  test.each<[string, Partial<TcpSpec>, string[]]>([
    ['SMTP', { protocol: 'smtp' }, [
      '220 x\r\n', '250-x\r\n250 STARTTLS\r\n', '220 go on\r\n250-x\r\n250 AUTH PLAIN\r\n',
    ]],
    ['POP3', { protocol: 'pop3' }, ['+OK\r\n', '+OK\r\nSTLS\r\n.\r\n', '+OK\r\n+OK\r\n.\r\n']],
    ['IMAP', { protocol: 'imap' }, [
      '* OK\r\n', '* CAPABILITY IMAP4rev1 STARTTLS\r\nf1 OK\r\n',
      'f2 OK\r\n* CAPABILITY IMAP4rev1\r\nf3 OK\r\n',
    ]],
    ['FTP', { protocol: 'ftp' }, ['220 x\r\n', '234 go on\r\n221 bye\r\n']],
  ])('with %s accepts no plain text as data under TLS', (_name, spec, service) => {
    const log = talk({ ...spec, tls: 'starttls' }, [...service, TLS, 'x\r\n']);
    expect(log.at(-1)).toBe(
      '! ssl_error tls: Expected a TLS handshake, got more plain text after the reply that accepted it',
    );
    expect(log).not.toContain('secure');
  });
});

describe('a hostile banner', () => {
  const smtp = (): Conversation => conversationOf(buildTcpSpec({ protocol: 'smtp' }), CLIENT);
  /** Feeds the conversation `piece` repeatedly; returns how it ended and how many bytes it accepted. */
  function flood(conversation: Conversation, piece: string): { bytes: number; next: Move['next'] } {
    const bytes = Buffer.from(piece, 'latin1');
    let next = conversation.begin().next;
    let total = 0;
    while (next === 'read' && total < 10_000_000) {
      next = conversation.push(bytes).next;
      total += bytes.length;
    }
    return { bytes: total, next };
  }

  test.each([
    ['a line of 1 MB', '2'.repeat(1_000_000), 1_000_000, `a line longer than ${LIMITS.lineBytes} bytes`],
    ['an endless line', 'x', LIMITS.lineBytes + 1, `a line longer than ${LIMITS.lineBytes} bytes`],
    ['NULs', '\0'.repeat(100), LIMITS.lineBytes + 100, `a line longer than ${LIMITS.lineBytes} bytes`],
    ['an endless response', '220-x\r\n', 7 * LIMITS.lines, `more than ${LIMITS.lines} lines`],
    [
      'a reply of long lines without an end', `220-${'x'.repeat(1000)}\r\n`, LIMITS.bytes + 1006,
      `more than ${LIMITS.bytes} bytes`,
    ],
  ])('of %s is cut off early', (_name, piece, maxBytes, what) => {
    const { bytes, next } = flood(smtp(), piece);
    expect(next).toEqual({
      type: 'connection_error', layer: 'response', message: `Expected the greeting, got ${what}`,
    });
    expect(bytes).toBeLessThanOrEqual(maxBytes);
  });

  test('is reported without control characters and truncated', () => {
    const line = faultOf({ protocol: 'smtp' }, `\u001b[31m\0evil\u0007${'é'.repeat(500)}\r\n`);
    expect(line).toMatch(/^! connection_error response: Expected 220 as the greeting, got " \[31m evil é+"?…"$/);
    expect(line.length).toBeLessThan(250);
  });

  test('may precede an SSH version, but not forever', () => {
    const { next } = flood(conversationOf(buildTcpSpec({ protocol: 'ssh' }), CLIENT), 'wait\r\n');
    expect(next).toMatchObject({ message: `Expected the version line, got more than ${LIMITS.lines} lines` });
  });

  test('without the expected text is read only up to the limit', () => {
    const { bytes, next } = flood(conversationOf(buildTcpSpec({ expect: 'PONG' }), CLIENT), 'PON\u0001'.repeat(100));
    expect(next).toEqual({
      type: 'keyword_missing', layer: 'content',
      message: `Expected "PONG" in the first ${LIMITS.bytes} bytes, got "${'PON '.repeat(30)}…"`,
    });
    expect(bytes).toBeLessThan(LIMITS.bytes + 401);
  });
});
