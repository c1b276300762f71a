import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import type { CheckError } from '../../shared/contracts/result.ts';
import { CONCEALED, concealNamed } from './conceal-named.ts';
import { concealOwn, needlesOf, type Needles } from './conceal-own.ts';
import { secretsOf } from './secrets.ts';

/** No text that is shown is longer before it is cut, characters. */
const MAX_TEXT_LENGTH = 8192;
const MAX_MESSAGE_LENGTH = 1000;
const CUT = '…';
/** User name and password of an address. */
const USER_INFO = /([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,500}@/gi;
/** The query and fragment of an address or a path, which may hold tokens that the target has made. */
const QUERY = /((?:^|[\s"'(<=])(?:[a-z][a-z\d+.-]{0,30}:\/)?\/[^\s"'<>?#…]{0,500}[?#])[^\s"<>…]+/gi;
/** A query with a name, whatever precedes it: `login?ticket=abc`; also URL-encoded, within another one. */
const NAMED_QUERY = /([?#]|%3F|%23)[\w.~%[\]-]{1,100}(?:=|%3D)[^\s"<>…]+/gi;
/** Layers of failures that precede everything that a check sends. */
const BEFORE_SENDING: readonly CheckError['layer'][] = ['dns', 'connect', 'tls'];

/** Hides what checks of one monitor send, and other credentials, in texts of its target. */
export class Concealer {
  readonly #needles: Needles;
  /** Whether the monitor sends more than can be looked for: then no text of its target can be shown. */
  readonly isOverwhelmed: boolean;

  constructor(spec: CheckSpec) {
    const secrets = secretsOf(spec);
    this.#needles = needlesOf(secrets ?? [], MAX_TEXT_LENGTH);
    this.isOverwhelmed = secrets === null;
  }

  /** Without what the monitor sends. */
  own(text: string): string {
    return concealOwn(text.slice(0, MAX_TEXT_LENGTH), this.#needles);
  }

  /** Also without other credentials, and printable. */
  all(text: string): string {
    return printable(concealNamed(this.own(text)));
  }

  /** As `all`, for a message of a check, which marks with `…` where it has cut what it quotes. */
  message(text: string): string {
    const withoutQueries = text.replace(USER_INFO, `$1${CONCEALED}@`)
      .replace(QUERY, `$1${CONCEALED}`).replace(NAMED_QUERY, `$1${CONCEALED}`);
    const parts = concealOwn(withoutQueries.slice(0, MAX_TEXT_LENGTH), this.#needles, CUT).split(CUT);
    return parts.map((part) => printable(concealNamed(part))).join(CUT).slice(0, MAX_MESSAGE_LENGTH);
  }
}

/**
 * The error of a failed check as it may leave the probe: its message may quote what the target said, and so
 * repeat what the monitor sent.
 */
export function concealError(spec: CheckSpec, error: CheckError): CheckError {
  const concealer = new Concealer(spec);
  const isHidden = concealer.isOverwhelmed && !BEFORE_SENDING.includes(error.layer);
  return { ...error, message: isHidden ? CONCEALED : concealer.message(error.message) };
}

/** Text that every reader can store and show: control characters and halves of characters are replaced. */
export function printable(text: string): string {
  return Buffer.from(text).toString().replace(/[^\P{Cc}\n\r\t]/gu, '\ufffd');
}
