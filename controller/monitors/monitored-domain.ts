import { isIP } from 'node:net';
import { parse } from 'tldts';
import { parsedUrl } from '../../shared/net-guard.ts';
import type { MonitorDoc } from './monitor.ts';
import { asciiHost, splitHostPort } from './target.ts';

type DomainFields = Pick<MonitorDoc, 'type' | 'target' | 'domain_monitoring' | 'deleted_at'>;

/** The registrable domain whose expiry is monitored; null if monitoring is off or the target has none. */
export function monitoredDomain(monitor: DomainFields): string | null {
  if (monitor.deleted_at !== null || !monitor.domain_monitoring?.enabled) return null;
  const domain = registrableDomain(monitor);
  return typeof domain === 'string' ? domain : null;
}

/** Special-use names that the public suffix list contains but nobody can register. */
const UNREGISTERED = /(?:^|\.)(?:arpa|onion)$/;

/**
 * The registrable domain of the target in ASCII, such as example.co.uk for www.example.co.uk, or why it has
 * none.
 */
export function registrableDomain(
  { type, target }: Pick<MonitorDoc, 'type' | 'target'>,
): string | { reason: string } {
  if (type === 'HEARTBEAT') return { reason: 'Heartbeat monitors do not have a domain' };
  const host = hostOf(type, target);
  if (isIP(host) !== 0) return { reason: 'The target is an IP address' };
  const ofHost = { allowPrivateDomains: false, extractHostname: false };
  const { domain, publicSuffix, isIcann } = parse(host, ofHost);
  const isRegistered = domain !== null && isIcann === true && !UNREGISTERED.test(publicSuffix ?? '');
  if (isRegistered) return domain;
  return { reason: 'The target is not under a public suffix, such as .com or .co.uk' };
}

/** In lower-case ASCII, without brackets, port and trailing dot. */
function hostOf(type: MonitorDoc['type'], target: string): string {
  if (type === 'HTTP' || type === 'KEYWORD') {
    return parsedUrl(target)?.hostname.replace(/^\[|\]$|\.$/g, '') ?? '';
  }
  const parts = splitHostPort(target);
  return typeof parts === 'string' ? '' : asciiHost(parts.host).toLowerCase();
}
