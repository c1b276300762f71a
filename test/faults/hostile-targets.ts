import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { passTime } from '../helpers/pass-time.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { DNS_ATTACKS } from './hostile-dns.ts';
import { HostileServers } from './hostile-servers.ts';
import { WEB_ATTACKS } from './hostile-web.ts';
import type { Load } from './load.ts';
import { countResults, repeats, toOutcome } from './tally.ts';

/** Targets attack the probe. */
export function hostileTargets(on: { readonly load: Load }): void {
  /** Growth of the probe's memory. */
  const MAX_GROWTH_MB = 64;

  let hostile: HostileServers;
  beforeAll(async () => {
    hostile = await HostileServers.start();
  });
  afterAll(async () => {
    await hostile?.stop();
  });

  const rssMb = (pid: number): number =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

  /** One monitor of each check type. */
  function ordinary(): { type: string; [setting: string]: unknown }[] {
    const { host } = new URL(on.load.target.url);
    return [
      { type: 'KEYWORD', target: on.load.target.url, keyword_config: { keywords: [{ text: 'needle', should_contain: false }] } },
      { type: 'TCP', target: host, tcp_config: { protocol: 'http', protocol_validation: true } },
      { type: 'HTTP', target: `https://127.0.0.1:${hostile.ports['good-tls']}/`, verify_ssl: true },
      { type: 'DNS', target: 'localhost', record_entries: [{ type: 'A' }], dns_server: `127.0.0.1:${hostile.ports['dns']}` },
    ];
  }

  function attacks(): { name: string; body: object }[] {
    const { ports } = hostile;
    const web = `http://127.0.0.1:${ports['web']}`;
    const keywords = { keyword_config: { keywords: [{ text: 'needle' }] } };
    const last = { source: 'json', property: '$[-1].last', comparison: 'exists' };
    return [
      ...Object.keys(WEB_ATTACKS).flatMap((path) => [
        { name: `http ${path}`, body: { type: 'HTTP', target: `${web}${path}` } },
        { name: `keyword ${path}`, body: { type: 'KEYWORD', target: `${web}${path}`, ...keywords } },
        { name: `json ${path}`, body: { type: 'HTTP', target: `${web}${path}`, assertions: [last] } },
      ]),
      ...Object.keys(ports).filter((name) => name.startsWith('tls')).flatMap((name) => {
        const [address, tls] = [`127.0.0.1:${ports[name]}`, { protocol: 'imap', protocol_validation: true, tls: 'implicit' }];
        return [
          ...[true, false].map((verify) => (
            { name: `${name} ${verify}`, body: { type: 'HTTP', target: `https://${address}/`, verify_ssl: verify } })),
          { name: `tcp ${name}`, body: { type: 'TCP', target: address, tcp_config: tls } },
        ];
      }),
      ...['smtp', 'ftp', 'pop3', 'imap', 'ssh'].map((protocol) => ({
        name: protocol,
        body: { type: 'TCP', target: `127.0.0.1:${ports[protocol]}`, tcp_config: { protocol, protocol_validation: true } },
      })),
      {
        name: 'generic',
        body: {
          type: 'TCP', target: `127.0.0.1:${ports['generic']}`,
          tcp_config: { protocol: 'generic', protocol_validation: true, expect: 'needle' },
        },
      },
      ...DNS_ATTACKS.map((target) => ({
        name: target,
        body: { type: 'DNS', target, record_entries: [{ type: 'TXT' }], dns_server: `127.0.0.1:${ports['dns']}` },
      })),
    ];
  }

  fault('F60', 'targets of all types send endless, slow, false and exploding responses at the same time', async () => {
    const healthy = await on.load.steady(repeats(8, 20), 'beside');
    const createMonitor = async (name: string, body: object): Promise<string> => {
      const { monitor } = await on.load.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
        name, interval_seconds: 2, timeout_ms: 2000, ...body,
      });
      return monitor.id;
    };
    const others = await Promise.all(ordinary().map((body) => createMonitor(`ordinary ${body.type}`, body)));
    const pid = await on.load.farwatch.pid('probe');
    // Memory that the first checks of a process allocate permanently does not count.
    await passTime(10_000);
    const beforeMb = rssMb(pid);
    // The first checks of all targets run at the same time.
    const interval_seconds = repeats(10, 2);
    const ids = await Promise.all(attacks().map(({ name, body }) => createMonitor(name, { interval_seconds, ...body })));
    let peakMb = 0;
    const seconds = repeats(5, 120);
    for (let at = 0; at < seconds * 4; at += 1) {
      await passTime(250);
      peakMb = Math.max(peakMb, rssMb(pid));
    }
    const grewMb = Math.round(peakMb - beforeMb);
    expect(await on.load.farwatch.pid('probe'), 'the same process').toBe(pid);
    expect(grewMb, `MB more, after ${Math.round(beforeMb)}`).toBeLessThan(MAX_GROWTH_MB);
    const states = await until(async () => {
      const found = await Promise.all(ids.map((id) => on.load.statusOf(id)));
      return found.every((status) => status !== 'unknown') && found;
    }, { what: 'every hostile target has a verdict' });
    expect(states.filter((status) => status === 'up')).not.toEqual([]);
    await on.load.session.ok('POST', '/api/monitors/bulk', { action: 'delete', monitor_ids: [...others, ...ids] });
    const results = await countResults(on.load);
    expect(await on.load.incidents(healthy)).toEqual([]);
    return toOutcome({ injected: ids.length, results },
      `${states.filter((status) => status === 'down').length} down; RSS of the probe at most ${grewMb} MB more`);
  });
}
