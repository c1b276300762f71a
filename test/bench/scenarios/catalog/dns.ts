import type { Expected, MonitorBody, Scenario } from '../scenario.ts';
import type { DnsFault } from '../targets/name-server.ts';
import { zoneName, type World } from '../world.ts';

const FAILED: Expected = { event: 'monitor.down', type: 'dns_error', layer: 'dns' };
/** Of a name server configured on the monitor. */
const TIMED_OUT: Expected = { event: 'monitor.down', type: 'timeout', layer: 'dns' };

const siteByName = (world: World, name: string): MonitorBody => ({
  type: 'HTTP', target: world.site.url(name, zoneName(name)),
});

/** All name servers have this fault for the name of a site. */
function everywhere(name: string, fault: DnsFault, settings: object = {}): Scenario {
  return {
    name, expected: FAILED,
    detector: (world) => ({ ...siteByName(world, name), ...settings }),
    bystanders: { 'by address': (world) => ({ type: 'HTTP', target: world.site.url(name) }) },
    toggle: (world, isOn) => {
      for (const server of world.nameServers) server.set(zoneName(name), isOn ? fault : null);
    },
  };
}

/** One of two name servers is faulty. The site stays reachable, so only the monitor of that server may alert. */
function oneServer(name: string, fault: DnsFault, expected: Expected): Scenario {
  return {
    name, expected,
    detector: (world) => ({
      type: 'DNS', target: zoneName(name),
      dns_config: {
        record_entries: [{ type: 'A', expected_values: ['127.0.0.1'] }],
        dns_server: world.nameServers[0].endpoint, resolution_timeout_ms: 3000,
      },
    }),
    bystanders: { 'the site': (world) => siteByName(world, name) },
    toggle: (world, isOn) => world.nameServers[0].set(zoneName(name), isOn ? fault : null),
  };
}

export const DNS: readonly Scenario[] = [
  everywhere('dns-cname-nxdomain', 'dangling'),
  // The response comes after five seconds; the monitor allows three.
  everywhere('dns-latency', 'late', { timeout_ms: 3000 }),
  oneServer('dns-ns-unavailable-servfail', 'servfail', FAILED),
  oneServer('dns-ns-unavailable-silent', 'silent', TIMED_OUT),
  everywhere('dns-nxdomain', 'nxdomain'),
  everywhere('dns-servfail', 'servfail'),
  everywhere('dns-timeout', 'silent'),
];
