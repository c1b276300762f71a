import type { CheckSpec } from '../../shared/contracts/check-spec.ts';
import { EVIDENCE_LIMITS, type ResponseEvidence } from '../../shared/contracts/evidence.ts';
import type { Timings, TlsFacts } from '../../shared/contracts/result.ts';
import type { ObservedResponse } from '../checks/check.ts';
import { excerptText } from '../checks/http/excerpt-text.ts';
import { CONCEALED, concealNamed } from '../concealing/conceal-named.ts';
import { Concealer, FactConcealer, printable } from '../concealing/concealer.ts';
import { isCredentialName } from '../concealing/secrets.ts';

/** Maximum certificate names in evidence. */
const MAX_SHOWN_NAMES = 10;
/** One-time authorization code in the query of a redirect. */
const CODE = /([?&]code=)[^&#]+/gi;

/** What one check saw, and when. Not redacted yet. */
export interface Observation extends ObservedResponse {
  /** Unix ms. */
  checkedAt: number;
  remoteAddress: string | null;
  timings: Timings | null;
  certificate: TlsFacts | null;
}

/** Redacts what a monitor's checks saw: its own secrets and other credentials. */
export class EvidenceRedactor {
  readonly #concealer: Concealer;
  readonly #facts: FactConcealer;

  constructor(spec: CheckSpec) {
    this.#concealer = new Concealer(spec);
    this.#facts = new FactConcealer(spec);
  }

  /** Withholds head and body if there are more secrets than can be searched for. */
  redact(observation: Observation): ResponseEvidence {
    const { isOverwhelmed } = this.#concealer;
    const head = isOverwhelmed ? null : observation.head;
    const body = isOverwhelmed || observation.body === null
      ? null
      : excerptText(observation.head ?? '', observation.body);
    return {
      checked_at: observation.checkedAt, remote_address: this.#facts.address(observation.remoteAddress),
      addresses: observation.addresses.filter((one) => this.#facts.address(one) !== null)
        .slice(0, EVIDENCE_LIMITS.addresses),
      ...this.#head(head),
      body_excerpt: body === null ? null : this.#concealer.all(body).slice(0, EVIDENCE_LIMITS.body),
      certificate: this.#facts.tls(observation.certificate), timings: observation.timings,
    };
  }

  #head(head: string | null): Pick<ResponseEvidence, 'status_line' | 'headers'> {
    if (head === null) return { status_line: null, headers: [] };
    const [statusLine = '', ...lines] = linesOf(this.#concealer.own(head));
    return {
      status_line: printable(concealNamed(statusLine)).slice(0, EVIDENCE_LIMITS.statusLine),
      headers: lines.slice(0, EVIDENCE_LIMITS.headers).map((line) => headerOf(line)),
    };
  }
}

/** Lines of a head; one that starts with a space continues the previous one (RFC 9112, 5.2). */
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

/** Certificate facts with few names; the others are only counted. */
export function withFewNames(facts: TlsFacts): TlsFacts {
  const { names, more_names: more } = facts;
  const shown = names.slice(0, MAX_SHOWN_NAMES);
  return { ...facts, names: shown, more_names: more + names.length - shown.length };
}
