import { nextLine, send, withoutTls, wrong, type About, type Dialogue, type Part } from './dialogue.ts';

/** IMAP4 (RFC 3501, RFC 9051). */
export function* imap(useStartTls: boolean): Dialogue {
  const greeting = yield* nextLine('the greeting');
  if (!/^\* (?:OK|PREAUTH)(?: |$)/i.test(greeting)) {
    return yield* wrong('the greeting', '* OK or * PREAUTH', greeting);
  }
  const offers = yield* capabilities('f1');
  if (useStartTls) {
    if (!offers.includes('STARTTLS')) return yield* withoutTls('STARTTLS');
    yield* command('f2', 'STARTTLS', 'tls');
    yield { kind: 'secure' };
    yield* capabilities('f3');
  }
  return 'f4 LOGOUT\r\n';
}

/** In upper case. */
function* capabilities(tag: string): Part<string[]> {
  const lines = yield* command(tag, 'CAPABILITY');
  const line = lines.find((one) => /^\* CAPABILITY /i.test(one)) ?? '';
  const names = line.toUpperCase().split(' ').slice(2);
  if (!names.some((name) => name.startsWith('IMAP4'))) {
    return yield* wrong('the reply to CAPABILITY', 'IMAP4rev1', lines[0] ?? '');
  }
  return names;
}

/** The untagged lines before the server's `OK`. */
function* command(tag: string, name: string, about?: About): Part<string[]> {
  const awaited = `the reply to ${name}`;
  yield* send(`${tag} ${name}`);
  const lines: string[] = [];
  for (;;) {
    const line = yield* nextLine(awaited);
    if (line.startsWith('* ')) lines.push(line);
    else if (line.startsWith(`${tag} `) && /^OK(?: |$)/i.test(line.slice(tag.length + 1))) return lines;
    else return yield* wrong(awaited, `${tag} OK`, line, about);
  }
}
