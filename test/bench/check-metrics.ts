import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KnownSpec } from '../../shared/contracts/check-spec.ts';
import { RESPONSE_ADDRESS } from './dns-response.ts';
import { startExporter, type ExporterProbe } from './exporter.ts';
import type { BenchOptions, Metric } from './metrics.ts';
import { ProbeRig } from './probe-rig.ts';
import { print } from './report.ts';
import { runWorker } from './run-worker.ts';
import { startBenchTarget, type BenchTarget, type Service } from './target.ts';

/** A round in which the probe reaches less of its rate doesn't count: the machine is too busy. */
const MIN_RATE_SHARE = 0.9;
/** Maximum attempts per counted round. */
const MAX_ATTEMPTS_PER_ROUND = 3;

/** A check type and what its cost is compared with. */
interface CheckCost {
  metric: string;
  service: Service;
  /** Checks per second, each of a different monitor. */
  rate: number;
  /** Per contestant and round. */
  count: number;
  /** Checks due together in the probe. */
  inFlight: number;
  specOf: (index: number) => KnownSpec;
  exporter: { modules: Record<string, unknown>; probe: Pick<ExporterProbe, 'module' | 'target'>; floor?: number };
  /** By their names in the report. */
  bare: Record<string, { load: string; options: object; floor?: number }>;
}

/** CPU per HTTP check, everything included, against a bare loop, undici and blackbox_exporter. */
export const httpCheck: Metric = (options) => measure(options, ({ url, ports: { http: port } }) => ({
  metric: '1', service: 'http', rate: 1000, count: 4000, inFlight: 64,
  specOf: (index) => httpSpec(`${url}/${index}`),
  exporter: {
    modules: { http_2xx: { prober: 'http' } }, probe: { module: 'http_2xx', target: `${url}/` }, floor: 0.4,
  },
  bare: {
    undici: { load: 'bareGets', options: { port, by: 'undici' } },
    'a bare net loop': { load: 'bareGets', options: { port, by: 'net' } },
  },
}));

/** CPU per HTTPS check with a full handshake, against `tls.connect` and blackbox_exporter. */
export const httpsCheck: Metric = (options) => measure(options, ({ ports: { https: port }, ca }, caFile) => ({
  metric: '2', service: 'https', rate: 200, count: 600, inFlight: 16,
  specOf: (index) => httpSpec(`https://127.0.0.1:${port}/${index}`),
  exporter: {
    modules: { https_2xx: { prober: 'http', http: { tls_config: { ca_file: caFile } } } },
    probe: { module: 'https_2xx', target: `https://127.0.0.1:${port}/` }, floor: 1,
  },
  bare: {
    'tls.connect, one context': { load: 'bareHandshakes', options: { port, ca, by: 'shared' } },
    'tls.connect with `ca`': { load: 'bareHandshakes', options: { port, ca, by: 'ca' } },
  },
}));

/** CPU per DNS check of one A record, against c-ares and blackbox_exporter. */
export const dnsCheck: Metric = (options) => measure(options, ({ ports: { dns: port } }) => {
  const names = Array.from({ length: 4000 }, (_, index) => `host-${index}.bench.test`);
  const [name = ''] = names;
  return {
    metric: '4', service: 'dns', rate: names.length, count: 4000, inFlight: 64,
    specOf: (index) => ({
      type: 'DNS', name: names[index] as string, server: { host: '127.0.0.1', port }, resolution_timeout_ms: 10_000,
      record_entries: [{ type: 'A', expected_values: [RESPONSE_ADDRESS], match: 'exact' }],
    }),
    exporter: {
      modules: { dns_a: { prober: 'dns', dns: {
        query_name: name, query_type: 'A', preferred_ip_protocol: 'ip4',
        validate_answer_rrs: { fail_if_not_matches_regexp: [`\\sA\\s${RESPONSE_ADDRESS.replaceAll('.', '\\.')}$`] },
      } } },
      probe: { module: 'dns_a', target: `127.0.0.1:${port}` },
    },
    bare: { 'c-ares': { load: 'bareLookups', options: { port, names, expectedAddress: RESPONSE_ADDRESS }, floor: 2 } },
  };
});

function httpSpec(url: string): KnownSpec {
  return {
    type: 'HTTP', url, method: 'GET', headers: {}, body: null, follow_redirects: true, max_redirects: 5,
    verify_ssl: true, expected_status: [], slow_response_threshold_ms: null,
  };
}

/** Runs a probe and its peers in turn; each has the core to itself. */
async function measure(
  { outdir, rounds, scale }: BenchOptions, costOf: (target: BenchTarget, caFile: string) => CheckCost,
): Promise<(boolean | null)[]> {
  const target = await startBenchTarget(join(outdir, 'target.mjs'));
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
  const caFile = join(dir, 'ca.pem');
  writeFileSync(caFile, target.ca);
  const { metric, service, rate, inFlight, specOf, exporter: peer, bare, ...cost } = costOf(target, caFile);
  const count = Math.round(cost.count * scale);
  const exporter = await startExporter(peer.modules);
  const rig = await ProbeRig.start({
    bundle: join(outdir, 'probe.mjs'), monitors: rate, together: inFlight, specOf,
    env: { NODE_EXTRA_CA_CERTS: caFile },
  });
  const ours: number[] = [];
  const theirs = new Map<string, number[]>(['blackbox_exporter', ...Object.keys(bare)].map((name) => [name, []]));
  try {
    // A real probe has been running for long, so its code is compiled.
    await rig.cost(count, () => target.count(service));
    for (let attempt = 0; attempt < rounds * MAX_ATTEMPTS_PER_ROUND && ours.length < rounds; attempt += 1) {
      rig.resume();
      const { cpuUs, perS } = await rig.cost(count, () => target.count(service));
      rig.pause();
      if (perS < rate * MIN_RATE_SHARE) continue;
      ours.push(cpuUs);
      for (const [name, { load, options }] of Object.entries(bare)) {
        const { cpuMs: used, figures: { done } } =
          await runWorker<{ done: number }>(outdir, load, { count, inFlight, ...options });
        theirs.get(name)?.push((used * 1000) / done);
      }
      const probe = { ...peer.probe, count, inFlight };
      if (exporter) theirs.get('blackbox_exporter')?.push(await exporter.cpuPerProbeUs(outdir, probe));
    }
  } finally {
    exporter?.stop();
    await rig.stop();
    target.stop();
    rmSync(dir, { recursive: true, force: true });
  }
  if (ours.length === 0) {
    process.stdout.write(`    ${metric}   not measured: the machine has too much other work\n`);
    return [false];
  }
  if (rig.failures.length > 0) throw new Error(`checks failed: ${rig.failures.join('; ')}`);
  return [...theirs].map(([name, figures]) => {
    const floor = name in bare ? bare[name]?.floor : peer.floor;
    return print({
      metric, what: `CPU per ${service.toUpperCase()} check, all in, against ${name}`, ours, unit: 'µs',
      theirs: figures.length > 0 ? figures : null, ...(floor === undefined ? {} : { floor: { max: floor } }),
    });
  });
}
