import { nextLine, send, withoutTls, wrong, type About, type Dialogue, type Part } from './dialogue.ts';

/** POP3 (RFC 1939; CAPA: RFC 2449; STLS: RFC 2595). CAPA is optional for servers. */
export function* pop3(useStls: boolean): Dialogue {
  yield* positive('the greeting');
  const offers = yield* capabilities();
  if (useStls) {
    if (offers !== null && !offers.includes('STLS')) return yield* withoutTls('STLS');
    yield* send('STLS');
    yield* positive('the reply to STLS', 'tls');
    yield { kind: 'secure' };
    yield* capabilities();
  }
  return 'QUIT\r\n';
}

function* positive(awaited: string, about?: About): Part<void> {
  const line = yield* nextLine(awaited);
  if (!/^\+OK(?: |$)/.test(line)) return yield* wrong(awaited, '+OK', line, about);
}

/** In upper case; null if the server doesn't list them. */
function* capabilities(): Part<string[] | null> {
  const awaited = 'the reply to CAPA';
  yield* send('CAPA');
  const first = yield* nextLine(awaited);
  if (/^-ERR(?: |$)/.test(first)) return null;
  if (!/^\+OK(?: |$)/.test(first)) return yield* wrong(awaited, '+OK or -ERR', first);
  const lines: string[] = [];
  for (;;) {
    const line = yield* nextLine(awaited);
    if (line === '.') return lines;
    lines.push(line.trim().toUpperCase());
  }
}
