import { response, send, withoutTls, type Dialogue, type Part } from './dialogue.ts';

/**
 * SMTP (RFC 5321; STARTTLS: RFC 3207). `name` introduces the client. Capabilities received in plain text are
 * discarded after STARTTLS, because an attacker could have injected them.
 */
export function* smtp(name: string, useStartTls: boolean): Dialogue {
  yield* response('the greeting', 220);
  const offers = yield* hello(name);
  if (useStartTls) {
    if (!offers.includes('STARTTLS')) return yield* withoutTls('STARTTLS');
    yield* send('STARTTLS');
    yield* response('the reply to STARTTLS', 220, 'tls');
    yield { kind: 'secure' };
    yield* hello(name);
  }
  return 'QUIT\r\n';
}

/** The server's capabilities in upper case. */
function* hello(name: string): Part<string[]> {
  yield* send(`EHLO ${name}`);
  const lines = yield* response('the reply to EHLO', 250);
  return lines.slice(1).map((line) => line.trim().toUpperCase());
}
