import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import { EVIDENCE_LIMITS, type AnswerSeen } from '../../shared/contracts/evidence.ts';
import type { Timings, TlsFacts } from '../../shared/contracts/result.ts';
import type { Seen } from '../checks/check.ts';
import { excerptText } from '../checks/http/excerpt-text.ts';
import { CONCEALED, concealNamed } from './conceal-named.ts';
import { concealOwn, needlesOf } from './conceal-own.ts';
import { isCredentialName } from './credential-names.ts';
import { secretsOf } from './secrets.ts';

/** No text that is shown is longer before it is cut, characters. */
const LONGEST_TEXT = 8192;
const LONGEST_MESSAGE = 1000;
/** Names of a certificate that are shown. */
const MOST_NAMES = 10;
/** What an authorization server hands out for one use, in the query of a redirect. */
const CODE = /([?&]code=)[^&#]+/gi;

/** What one check saw, and when. Nothing is concealed yet. */
export interface Sight extends Seen {
  /** Unix ms. */
  checkedAt: number;
  remoteAddress: string | null;
  timings: Timings | null;
  certificate: TlsFacts | null;
}

/** Shows what checks of one monitor saw, without the secrets that it sends and without other credentials. */
export class Showing {
  readonly #concealed: (text: string) => string;
  readonly #isWithheld: boolean;

  constructor(spec: CheckSpec) {
    const secrets = secretsOf(spec);
    const needles = needlesOf(secrets ?? [], LONGEST_TEXT);
    this.#isWithheld = secrets === null;
    this.#concealed = (text) => concealOwn(text.slice(0, LONGEST_TEXT), needles);
  }

  /** A message of a check, which may repeat what the target sent. */
  message(text: string): string {
    if (this.#isWithheld) return CONCEALED;
    // Where a check has cut what it repeats, the beginning of a secret may stand.
    return text.split('…').map((part) => this.#shown(part)).join('…').slice(0, LONGEST_MESSAGE);
  }

  /** Head and body are withheld where there are more secrets than can be looked for. */
  answer(sight: Sight): AnswerSeen {
    const head = this.#isWithheld ? null : sight.head;
    const body = this.#isWithheld || sight.body === null ? null : excerptText(sight.head ?? '', sight.body);
    return {
      checked_at: sight.checkedAt, remote_address: sight.remoteAddress,
      addresses: sight.addresses.slice(0, EVIDENCE_LIMITS.addresses),
      ...this.#head(head),
      body_excerpt: body === null ? null : this.#shown(body).slice(0, EVIDENCE_LIMITS.body),
      certificate: sight.certificate, timings: sight.timings,
    };
  }

  #shown(text: string): string {
    return printable(concealNamed(this.#concealed(text)));
  }

  #head(head: string | null): Pick<AnswerSeen, 'status_line' | 'headers'> {
    if (head === null) return { status_line: null, headers: [] };
    const [statusLine = '', ...lines] = linesOf(this.#concealed(head));
    return {
      status_line: printable(concealNamed(statusLine)).slice(0, EVIDENCE_LIMITS.statusLine),
      headers: lines.slice(0, EVIDENCE_LIMITS.headers).map((line) => headerOf(line)),
    };
  }
}

/** Lines of a head; one that begins with a space belongs to the one before (RFC 9112, 5.2). */
function linesOf(head: string): string[] {
  const lines = head.replace(/\n[ \t]+/g, ' ').split('\n').map((line) => line.trimEnd());
  return lines.filter((line) => line !== '');
}

function headerOf(line: string): { name: string; value: string } {
  const colon = line.indexOf(':');
  const name = (colon < 0 ? line : line.slice(0, colon)).trim();
  const value = colon < 0 ? '' : line.slice(colon + 1).trim();
  const shown = isCredentialName(name) ? CONCEALED : concealNamed(value).replace(CODE, `$1${CONCEALED}`);
  return {
    name: printable(concealNamed(name)).slice(0, EVIDENCE_LIMITS.headerName),
    value: printable(shown).slice(0, EVIDENCE_LIMITS.headerValue),
  };
}

/** Facts of a certificate without most of its names, which are counted. */
export function withFewNames(facts: TlsFacts): TlsFacts {
  const { names = [], more_names: more = 0 } = facts;
  const shown = names.slice(0, MOST_NAMES);
  return { ...facts, names: shown, more_names: more + names.length - shown.length };
}

/** Text that every reader can store and show: control characters and halves of characters are replaced. */
function printable(text: string): string {
  return Buffer.from(text).toString().replace(/[^\P{Cc}\n\r\t]/gu, '\ufffd');
}
