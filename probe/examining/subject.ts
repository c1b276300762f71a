import { isIP } from 'node:net';
import {
  isSpecOf, type CheckSpec, type DnsSpec, type IpFamily, type KnownSpec, type TcpSpec,
} from '../../shared/contracts/check-spec.ts';
import type { DnsRecordType } from '../../shared/dns-values.ts';
import { parsedUrl } from '../../shared/net-guard.ts';
import { endpointOf } from '../checks/http/resources.ts';

/** What an examination of a monitor's target contacts. */
export interface Subject {
  /** The name or address to connect to; null if the monitor queries this machine's name servers. */
  host: string | null;
  family: IpFamily;
  /** The query for each name server; null for none. */
  question: { name: string; types: readonly DnsRecordType[] } | null;
  contact: Contact;
}

/** How to contact an address of the host. */
export type Contact =
  /** `service`: the conversation, and the host that its certificate must match. */
  | { by: 'tcp'; port: number; service: TcpSpec; verifies: boolean }
  | { by: 'ping'; spec: Extract<KnownSpec, { type: 'ICMP' }> }
  | { by: 'dns'; port: number; spec: DnsSpec }
  | { by: 'none' };

/** Null if this version does not know the type, or the URL is invalid. */
export function subjectOf(spec: CheckSpec): Subject | null {
  if (isSpecOf(spec, 'HTTP') || isSpecOf(spec, 'KEYWORD')) return ofRequest(spec);
  if (isSpecOf(spec, 'TCP')) {
    // The check reports an untrusted certificate and accepts it.
    return at(spec.host, 'any', { by: 'tcp', port: spec.port, service: spec, verifies: false });
  }
  if (isSpecOf(spec, 'ICMP')) return at(spec.host, 'any', { by: 'ping', spec });
  if (!isSpecOf(spec, 'DNS')) return null;
  if (spec.server) return at(spec.server.host, 'any', { by: 'dns', port: spec.server.port, spec });
  const types = [...new Set(spec.record_entries.map(({ type }) => type))];
  return { host: null, family: 'any', question: { name: spec.name, types }, contact: { by: 'none' } };
}

/** Contacts only the first URL of a request. A HEAD request to `/` has no effects and carries no secrets. */
function ofRequest(spec: Extract<KnownSpec, { type: 'HTTP' | 'KEYWORD' }>): Subject | null {
  const url = parsedUrl(spec.url);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const { host, port } = endpointOf(url);
  const isSecure = url.protocol === 'https:';
  const service: TcpSpec = {
    type: 'TCP', host, port, protocol: 'http', protocol_validation: true, tls: isSecure ? 'implicit' : 'none',
    send: null, expect: null,
  };
  const { connect_to: override } = spec;
  return at(override?.host ?? host, spec.ip_family ?? 'any', {
    by: 'tcp', port: override?.port ?? port, service, verifies: isSecure && spec.verify_ssl,
  });
}

function at(host: string, family: IpFamily, contact: Contact): Subject {
  const question = isIP(host) === 0 ? { name: host, types: ['A', 'AAAA'] as const } : null;
  return { host, family, question, contact };
}
