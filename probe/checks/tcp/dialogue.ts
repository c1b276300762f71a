import type { ErrorType } from '../../../shared/contracts/result.ts';
import { shortened, type ErrorLayer } from '../check.ts';

/** Characters of a service's text that a message repeats. */
const MAX_QUOTED_LENGTH = 120;

/** Why a service failed its check. */
export interface Fault {
  type: ErrorType;
  layer: ErrorLayer;
  message: string;
}

/** What a dialogue asks of its connection. Only `line` gets an answer: the next line, without its end. */
export type DialogueRequest =
  | { kind: 'line'; awaited: string }
  | { kind: 'send'; text: string }
  /** Start TLS here. */
  | { kind: 'secure' }
  /** The dialogue ends here. */
  | { kind: 'fault'; fault: Fault };

/**
 * A protocol as seen by its client: pure, one line at a time, each character a byte. Returns what to send
 * before closing the connection once the service has shown that it speaks the protocol.
 */
export type Dialogue = Generator<DialogueRequest, string, string>;
/** A part of a dialogue. */
export type Part<Found> = Generator<DialogueRequest, Found, string>;

export function* send(text: string): Part<void> {
  yield { kind: 'send', text: `${text}\r\n` };
}

/** The next line. `awaited` names it in messages: `the greeting`. */
export function* nextLine(awaited: string): Part<string> {
  return yield { kind: 'line', awaited };
}

/** Whether a fault is that the server does not do TLS as the monitor asks. */
export type About = 'protocol' | 'tls';

/** Ends the dialogue: `awaited` was not what it has to be. */
export function wrong(awaited: string, expected: string, got: string, about?: About): Part<never> {
  return stop(`Expected ${expected} as ${awaited}, got ${quoted(got)}`, about);
}

/** Ends the dialogue: what the server offers does not include the command that starts TLS. */
export function withoutTls(command: string): Part<never> {
  return stop(`Expected the server to offer ${command}, but it did not`, 'tls');
}

function* stop(message: string, about: About = 'protocol'): Part<never> {
  const fault: Fault = about === 'tls'
    ? { type: 'ssl_error', layer: 'tls', message }
    : { type: 'connection_error', layer: 'response', message };
  yield { kind: 'fault', fault };
  throw new Error('A dialogue went on after its fault');
}

/**
 * A reply with a three-digit code, whose last line has a space after the code (RFC 959 4.2, RFC 5321 4.2.1).
 * Returns the text of its lines if the code is `code`, else ends the dialogue.
 */
export function* response(awaited: string, code: number, about?: About): Part<string[]> {
  const first = yield* nextLine(awaited);
  if (!/^\d{3}(?:[ -]|$)/.test(first) || first.slice(0, 3) !== String(code)) {
    return yield* wrong(awaited, String(code), first, about);
  }
  const lines = [first.slice(4)];
  for (let line = first; line[3] === '-' || !line.startsWith(String(code));) {
    line = yield* nextLine(awaited);
    lines.push(line.startsWith(String(code)) ? line.slice(4) : line);
  }
  return lines;
}

/** Text of a service as it may stand in a message. */
export function quoted(text: string): string {
  if (text === '') return 'an empty line';
  return `"${shortened(text, MAX_QUOTED_LENGTH)}"`;
}
