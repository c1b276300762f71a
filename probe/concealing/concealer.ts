import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import type { CheckError } from '../../shared/contracts/result.ts';
import { CONCEALED, concealNamed } from './conceal-named.ts';
import { concealOwn, needlesOf, type Needles } from './conceal-own.ts';
import { secretsOf } from './secrets.ts';

/** Texts are never longer than this before truncation. */
const MAX_TEXT_LENGTH = 8192;
const MAX_MESSAGE_LENGTH = 1000;
const CUT = '…';
/** User name and password in a URL. */
const USER_INFO = /([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,500}@/gi;
/** Query and fragment of a URL or path, which may hold tokens issued by the target. */
const QUERY = /((?:^|[\s"'(<=])(?:[a-z][a-z\d+.-]{0,30}:\/)?\/[^\s"'<>?#…]{0,500}[?#])[^\s"<>…]+/gi;
/** A query with a name, whatever precedes it: `login?ticket=abc`. Also URL-encoded within another one. */
const NAMED_QUERY = /([?#]|%3F|%23)[\w.~%[\]-]{1,100}(?:=|%3D)[^\s"<>…]+/gi;
/** Failure layers before the check sends anything. */
const BEFORE_SENDING: readonly CheckError['layer'][] = ['dns', 'connect', 'tls'];

/** Hides a monitor's own secrets and other credentials in texts from its target. */
export class Concealer {
  readonly #needles: Needles;
  /** Whether the monitor has too many secrets to search for: then no text from its target can be shown. */
  readonly isOverwhelmed: boolean;

  constructor(spec: CheckSpec) {
    const secrets = secretsOf(spec);
    this.#needles = needlesOf(secrets ?? [], MAX_TEXT_LENGTH);
    this.isOverwhelmed = secrets === null;
  }

  /** Removes the monitor's own secrets. */
  own(text: string): string {
    return concealOwn(text.slice(0, MAX_TEXT_LENGTH), this.#needles);
  }

  /** Also removes other credentials and makes the text printable. */
  all(text: string): string {
    return printable(concealNamed(this.own(text)));
  }

  /** Like `all`, for a check's message, which marks truncated quotes with `…`. */
  message(text: string): string {
    const withoutQueries = text.replace(USER_INFO, `$1${CONCEALED}@`)
      .replace(QUERY, `$1${CONCEALED}`).replace(NAMED_QUERY, `$1${CONCEALED}`);
    const parts = concealOwn(withoutQueries.slice(0, MAX_TEXT_LENGTH), this.#needles, CUT).split(CUT);
    return parts.map((part) => printable(concealNamed(part))).join(CUT).slice(0, MAX_MESSAGE_LENGTH);
  }
}

/**
 * The error of a failed check, safe to leave the probe. Its message may quote the target, which may repeat
 * what the monitor sent.
 */
export function concealError(spec: CheckSpec, error: CheckError): CheckError {
  const concealer = new Concealer(spec);
  const isHidden = concealer.isOverwhelmed && !BEFORE_SENDING.includes(error.layer);
  return { ...error, message: isHidden ? CONCEALED : concealer.message(error.message) };
}

/** Text that every reader can store and show: replaces control characters and lone surrogates. */
export function printable(text: string): string {
  return Buffer.from(text).toString().replace(/[^\P{Cc}\n\r\t]/gu, '\ufffd');
}
