import { response, send, withoutTls, type Dialogue, type Part } from './dialogue.ts';

/**
 * SMTP (RFC 5321; STARTTLS: RFC 3207). `name` introduces this client. What the server offered in plain text
 * is forgotten after STARTTLS, as anybody could have written it.
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

/** What the server offers, in upper case. */
function* hello(name: string): Part<string[]> {
  yield* send(`EHLO ${name}`);
  const lines = yield* response('the reply to EHLO', 250);
  return lines.slice(1).map((line) => line.trim().toUpperCase());
}
