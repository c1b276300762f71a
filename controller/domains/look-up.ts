import { parseHttpUrl, parsedUrl } from '../../shared/net-guard.ts';
import type { OutboundReader } from '../platform/outbound/reader-port.ts';
import type { Lookup, RegistrationResult } from './domain.ts';
import { readRdap } from './rdap-response.ts';
import type { DomainSources } from './sources.ts';
import { readWhois } from './whois-response.ts';
import { queryWhois, type WhoisDeps } from './whois-query.ts';

export interface LookUpDeps extends WhoisDeps {
  reader: OutboundReader;
  sources: Pick<DomainSources, 'rdap' | 'whois'>;
}

const RDAP_LIMIT_BYTES = 256 * 1024;
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 3;

/** Queries the registry of a registrable domain by RDAP, or by WHOIS if it has no RDAP server. */
export async function lookUp(deps: LookUpDeps, domain: string): Promise<Lookup> {
  const tld = domain.slice(domain.lastIndexOf('.') + 1);
  const rdap = await deps.sources.rdap(tld);
  if (rdap.kind !== 'server') return rdap;
  if (rdap.at !== null) return lookUpByRdap(deps, `${rdap.at}domain/${domain}`, domain);
  const whois = await deps.sources.whois(tld);
  if (whois.kind !== 'server') return whois;
  if (whois.at !== null) return lookUpByWhois(deps, whois.at, domain);
  return { kind: 'unsupported', message: `Expiry of .${tld} domains is not available: the registry has no RDAP or WHOIS server` };
}

async function lookUpByRdap(
  { reader, takeTurn }: LookUpDeps, firstUrl: string, domain: string,
): Promise<Lookup> {
  let url = firstUrl;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const target = parseHttpUrl(url);
    if (!target.ok) return { kind: 'failed', message: 'An RDAP server redirected to an invalid address' };
    const { host } = target.url;
    if (!(await takeTurn(host))) return { kind: 'busy', server: host };
    const response = await reader.get({
      url: target.url.href, accept: 'application/rdap+json', limitBytes: RDAP_LIMIT_BYTES, timeoutMs: TIMEOUT_MS,
    });
    if (response.kind !== 'responded') return { kind: 'failed', message: `${host}: ${response.reason}` };
    const { status, location, body } = response;
    if (status === 200) return lookupOf('rdap', readRdap(body), { host, domain });
    if (status === 404) return lookupOf('rdap', null, { host, domain });
    const next = status >= 300 && status < 400 && location !== null ? parsedUrl(location, url) : null;
    if (next === null) return { kind: 'failed', message: `${host} responded with status ${status}` };
    url = next.href;
  }
  return { kind: 'failed', message: `The RDAP servers redirected more than ${MAX_REDIRECTS} times` };
}

async function lookUpByWhois(deps: LookUpDeps, registry: string, domain: string): Promise<Lookup> {
  const first = await queryWhois(deps, registry, domain);
  if (first.kind !== 'responded') return first;
  const { registration, referral } = readWhois(first.text);
  const isEnough = registration === null || (registration?.expires_at ?? null) !== null;
  if (isEnough || referral === null || referral === registry) {
    return lookupOf('whois', registration, { host: registry, domain });
  }
  const second = await queryWhois(deps, referral, domain);
  if (second.kind !== 'responded') return second;
  const { registration: further } = readWhois(second.text);
  const registrar = registration?.registrar ?? further?.registrar ?? null;
  const merged = further && { ...further, registrar };
  return lookupOf('whois', merged, { host: referral, domain });
}

function lookupOf(
  source: 'rdap' | 'whois', registration: RegistrationResult, { host, domain }: { host: string; domain: string },
): Lookup {
  if (registration === null) return { kind: 'failed', message: `${domain} is not registered, according to ${host}` };
  if (registration === undefined) return { kind: 'failed', message: `The response of ${host} cannot be parsed` };
  return { kind: 'found', source, ...registration };
}
