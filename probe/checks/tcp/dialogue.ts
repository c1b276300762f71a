import type { ErrorType } from '../../../shared/contracts/result.ts';
import { shortened, type ErrorLayer } from '../check.ts';

/** Maximum characters of a service's text quoted in a message. */
const MAX_QUOTED_LENGTH = 120;

/** Why a service failed its check. */
export interface Fault {
  type: ErrorType;
  layer: ErrorLayer;
  message: string;
}

/** A dialogue's request to its connection. Only `line` returns something: the next line without its end. */
export type DialogueRequest =
  | { kind: 'line'; awaited: string }
  | { kind: 'send'; text: string }
  /** Start TLS. */
  | { kind: 'secure' }
  /** End the dialogue. */
  | { kind: 'fault'; fault: Fault };

/**
 * The client side of a protocol: pure, one line at a time, one character per byte. Once the service has
 * proved that it speaks the protocol, returns what to send before closing.
 */
export type Dialogue = Generator<DialogueRequest, string, string>;
/** A part of a dialogue. */
export type Part<Found> = Generator<DialogueRequest, Found, string>;

export function* send(text: string): Part<void> {
  yield { kind: 'send', text: `${text}\r\n` };
}

/** Reads the next line. `awaited` names it in messages: `the greeting`. */
export function* nextLine(awaited: string): Part<string> {
  return yield { kind: 'line', awaited };
}

/** Whether a fault concerns the protocol, or TLS as the monitor requires it. */
export type About = 'protocol' | 'tls';

/** Ends the dialogue because `awaited` didn't match. */
export function wrong(awaited: string, expected: string, got: string, about?: About): Part<never> {
  return stop(`Expected ${expected} as ${awaited}, got ${quoted(got)}`, about);
}

/** Ends the dialogue because the server doesn't offer the command that starts TLS. */
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
 * Reads a response with a three-digit code; its last line has a space after the code (RFC 959, 4.2; RFC 5321,
 * 4.2.1). Returns the text of its lines if the code is `code`, otherwise ends the dialogue.
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

/** A service's text, sanitized for a message. */
export function quoted(text: string): string {
  if (text === '') return 'an empty line';
  return `"${shortened(text, MAX_QUOTED_LENGTH)}"`;
}
