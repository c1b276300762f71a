import { MongoClient } from 'mongodb';
import type { ControllerConfig } from '../../../../controller/config.ts';
import { natsUrls } from '../../../../shared/nats-connection.ts';
import type { QuickstartSettings } from '../../../quickstart/settings.ts';
import { combine, failed, NOT_CHECKED, ok, type Check, type Finding } from '../check.ts';
import type { LookupFailure } from '../reach/host-lookups.ts';

/** Host name → the settings that name it. */
type Hosts = Map<string, Set<string>>;

export const checkDns: Check = async ({ settings, hosts }) => {
  if (settings === null) return NOT_CHECKED;
  const { names, services } = hostsOf(settings);
  if (names.size + services.size === 0) return ok('No setting names a host that must be looked up');
  const lookUp = (of: Hosts, find: (name: string) => Promise<LookupFailure>) => [...of].map(
    async ([host, variables]) => ({ host, variables: [...variables], failure: await find(host) }),
  );
  return judgeLookups(await Promise.all([
    ...lookUp(names, (name) => hosts.failureOf(name)),
    ...lookUp(services, (name) => hosts.failureOfService(name)),
  ]));
};

export interface HostLookup {
  host: string;
  variables: string[];
  failure: LookupFailure;
}

export function judgeLookups(lookups: readonly HostLookup[]): Finding {
  const shown = ({ host, variables }: HostLookup) => `${host} (${variables.join(', ')})`;
  const unreachable = lookups.filter(({ failure }) => failure === 'unreachable').map(shown);
  const missing = lookups.filter(({ failure }) => failure === 'missing').map(shown);
  const findings: Finding[] = [];
  if (unreachable.length > 0) {
    findings.push(failed(
      `No name server responds properly about ${unreachable.join(', ')}`,
      'See which name servers /etc/resolv.conf lists and whether this host reaches them at port 53.',
    ));
  }
  if (missing.length > 0) {
    findings.push(failed(`There is no address for ${missing.join(', ')}`, 'Correct the name in the setting, or add a DNS record for it.'));
  }
  return combine(findings, `All names have an address: ${lookups.map(({ host }) => host).join(', ')}`);
}

function hostsOf({ controller, hasMongo, hasNats }: QuickstartSettings): { names: Hosts; services: Hosts } {
  const names: Hosts = new Map();
  const services: Hosts = new Map();
  const add = (to: Hosts, host: string, variable: string) => {
    const name = host.replace(/^\[|\]$/g, '');
    if (name !== '' && !/^[\d.]+$/.test(name) && !name.includes(':')) to.set(name, (to.get(name) ?? new Set()).add(variable));
  };
  const { http: { baseUrl }, nats, mail } = controller;
  if (baseUrl !== null) add(names, new URL(baseUrl).hostname, 'BASE_URL');
  if (hasMongo) {
    for (const { host, isService } of mongoHosts(controller.mongo)) add(isService ? services : names, host, 'MONGODB_URL');
  }
  if (hasNats) for (const { hostname } of natsUrls(nats.url)) add(names, hostname, 'NATS_URL');
  if (hasNats || nats.listen !== null) {
    for (const { hostname } of natsUrls(nats.publicUrl ?? '')) add(names, hostname, 'NATS_PUBLIC_URL');
  }
  if (mail.mailgun !== null) add(names, new URL(mail.mailgun.url).hostname, 'MAILGUN_URL');
  else if (mail.smtpUrl !== null) add(names, new URL(mail.smtpUrl).hostname, 'SMTP_URL');
  return { names, services };
}

function mongoHosts({ url }: ControllerConfig['mongo']): { host: string; isService: boolean }[] {
  try {
    const { hosts, srvHost } = new MongoClient(url).options;
    if (srvHost !== undefined) return [{ host: srvHost, isService: true }];
    return hosts.flatMap(({ host }) => (host ? [{ host, isService: false }] : []));
  } catch {
    // The check of the database says what is wrong with it.
    return [];
  }
}
