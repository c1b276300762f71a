import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';
import { passTime } from '../helpers/pass-time.ts';
import { until } from '../helpers/until.ts';
import { fault } from './fault.ts';
import { HostileServers, WEB_ATTACKS } from './hostile-servers.ts';
import { Load } from './load.ts';
import { countResults, repeats, tell } from './tally.ts';

/** Growth of the probe's memory. Most of it is heap that V8 takes when there is more to collect. */
const MOST_MB = 128;

let load: Load;
let hostile: HostileServers;
beforeAll(async () => {
  hostile = await HostileServers.start();
  load = await Load.start();
});
afterAll(async () => {
  await load?.stop();
  await hostile?.stop();
});

const rssMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

function attacks(): { name: string; body: object }[] {
  const { ports } = hostile;
  const web = `http://127.0.0.1:${ports['web']}`;
  const keywords = { keyword_config: { keywords: [{ text: 'needle' }] } };
  return [
    ...Object.keys(WEB_ATTACKS).flatMap((path) => [
      { name: `http ${path}`, body: { type: 'HTTP', target: `${web}${path}` } },
      { name: `keyword ${path}`, body: { type: 'KEYWORD', target: `${web}${path}`, ...keywords } },
    ]),
    ...['tls', 'silent-tls'].map(
      (name) => ({ name, body: { type: 'HTTP', target: `https://127.0.0.1:${ports[name]}/`, verify_ssl: false } }),
    ),
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
    ...['A', 'TXT'].map((type) => ({
      name: `dns ${type}`,
      body: {
        type: 'DNS', target: 'hostile.example', record_entries: [{ type }],
        dns_server: `127.0.0.1:${ports['dns']}`,
      },
    })),
  ];
}

fault('F60', 'targets of all types pour, drip, lie and explode at the same time', async () => {
  const healthy = await load.steady(20, 'beside');
  const pid = await load.farwatch.pid('probe');
  // What the first checks of a process allocate for good is not the attack's.
  await passTime(10_000);
  const beforeMb = rssMb(pid);
  const ids = await Promise.all(attacks().map(async ({ name, body }) => {
    const { monitor } = await load.session.ok<{ monitor: { id: string } }>('POST', '/api/monitors', {
      name, interval_seconds: 2, timeout_ms: 2000, ...body,
    });
    return monitor.id;
  }));
  let peakMb = 0;
  const seconds = repeats(20, 120);
  for (let at = 0; at < seconds * 4; at += 1) {
    await passTime(250);
    peakMb = Math.max(peakMb, rssMb(pid));
  }
  const grewMb = Math.round(peakMb - beforeMb);
  expect(await load.farwatch.pid('probe'), 'the same process').toBe(pid);
  expect(grewMb).toBeLessThan(MOST_MB);
  const states = await until(async () => {
    const found = await Promise.all(ids.map((id) => load.statusOf(id)));
    return found.every((status) => status !== 'unknown') && found;
  }, { what: 'every hostile target has a verdict' });
  await load.session.ok('POST', '/api/monitors/bulk', { action: 'delete', monitor_ids: ids });
  const results = await countResults(load);
  expect(await load.incidents(healthy)).toEqual([]);
  return tell({ injected: ids.length, results },
    `${states.filter((status) => status === 'down').length} down; RSS of the probe at most ${grewMb} MB more`);
});
