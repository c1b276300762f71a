import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import { fnv1a } from '../../shared/ids.ts';
import { FACT_LIMITS, type CheckError, type TargetFacts, type TlsFacts } from '../../shared/contracts/result.ts';
import { CONCEALED, concealNamed } from './conceal-named.ts';
import { concealOwn, needlesOf, type Needles } from './conceal-own.ts';
import { declaredSecrets, secretsOf } from './secrets.ts';

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

/**
 * Facts about a target, safe to leave the probe and within their limits. A response may repeat what the
 * monitor sent. Values are cut after they are concealed, so that no part of a secret remains.
 */
export function concealTargetFacts(spec: CheckSpec, facts: TargetFacts): TargetFacts {
  const { addresses, name_servers: servers, redirects, headers } = facts;
  const concealer = new Concealer(spec);
  const conceal = (text: string): string => (concealer.isOverwhelmed ? CONCEALED : concealer.all(text));
  const own = (text: string): string => (concealer.isOverwhelmed ? CONCEALED : concealer.own(text));
  const known = new FactConcealer(spec);
  return {
    ...(addresses && { addresses: addresses.flatMap((address) => known.address(address) ?? []) }),
    ...(servers && { name_servers: servers.map((name) => own(name).slice(0, FACT_LIMITS.nameLength)) }),
    ...(redirects && { redirects: redirects.map((url) => distinct(conceal(url), FACT_LIMITS.urlLength)) }),
    ...(headers && { headers: Object.fromEntries(Object.entries(headers).map(
      ([name, value]) => [name, distinct(conceal(value), FACT_LIMITS.headerLength)],
    )) }),
  };
}

/** The text; if it has more than `max` characters, its start and a hash of all. */
function distinct(text: string, max: number): string {
  if (text.length <= max) return text;
  const suffix = `… #${fnv1a(text).toString(16).padStart(8, '0')}`;
  return text.slice(0, max - suffix.length) + suffix;
}

/** Hides the values of secret variables in facts about a target, whose host may be one. */
export class FactConcealer {
  readonly #concealer: Concealer | null;
  readonly #secrets: readonly string[];

  constructor(spec: CheckSpec) {
    this.#secrets = declaredSecrets(spec);
    this.#concealer = this.#secrets.length === 0 ? null : new Concealer(spec);
  }

  /** Null for an address that is a secret. */
  address(address: string | null): string | null {
    return address !== null && this.#secrets.includes(address) ? null : address;
  }

  tls(facts: TlsFacts | null): TlsFacts | null {
    if (facts === null || this.#concealer === null) return facts;
    const { issuer, subject, names, problem, ...others } = facts;
    return {
      issuer: this.#text(issuer), subject: this.#text(subject), names: names.map((name) => this.#text(name)),
      problem: problem && { code: problem.code, message: this.#text(problem.message) }, ...others,
    };
  }

  detail<Value>(value: Value): Value {
    if (this.#concealer === null) return value;
    const conceal = (one: unknown): unknown => {
      if (typeof one === 'string') return this.#text(one);
      if (Array.isArray(one)) return one.map(conceal);
      if (typeof one !== 'object' || one === null) return one;
      return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, conceal(inner)]));
    };
    return conceal(value) as Value;
  }

  #text(text: string): string {
    const shown = this.#concealer?.isOverwhelmed ? CONCEALED : (this.#concealer?.own(text) ?? text);
    return shown.slice(0, text.length);
  }
}

/** Text that every reader can store and show: replaces control characters and lone surrogates. */
export function printable(text: string): string {
  return Buffer.from(text).toString().replace(/[^\P{Cc}\n\r\t]/gu, '\ufffd');
}
