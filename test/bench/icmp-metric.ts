import { execFileSync } from 'node:child_process';
import { ensureDebianPackages } from '../services/packages.ts';
import { median, pinned } from './cpu.ts';
import { startExporter } from './exporter.ts';
import type { Metric } from './metrics.ts';
import { print } from './report.ts';
import { runWorker } from './run-worker.ts';

const PACKETS = 20;
/** Bytes of fping's report, one line per address. */
const MAX_REPORT_BYTES = 10 << 20;

interface Pings {
  sent: number;
  received: number;
  rttsMs: number[];
}

/** CPU and round-trip time per ping of loopback addresses, over one raw socket, against fping and blackbox_exporter. */
export const pings: Metric = async ({ outdir, rounds, scale }) => {
  await ensureDebianPackages('fping').catch(() => undefined);
  const exporter = await startExporter({ icmp: { prober: 'icmp' } });
  const addresses = Array.from({ length: 1000 }, (_, at) => `127.0.${at >> 8}.${at & 255}`).slice(1);
  const cpu: Record<'ours' | 'fping' | 'blackbox', number[]> = { ours: [], fping: [], blackbox: [] };
  const rtt: Record<'ours' | 'fping', number[]> = { ours: [], fping: [] };
  let lost = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const { cpuMs: used, figures } = await runWorker<Pings | null>(outdir, 'pingChecks', { addresses, packets: PACKETS });
      if (!figures) {
        process.stdout.write('    3   not measured: this process cannot open raw sockets\n');
        return [];
      }
      cpu.ours.push((used * 1000) / figures.sent);
      rtt.ours.push(median(figures.rttsMs) * 1000);
      lost += figures.sent - figures.received;
      const fping = runFping(addresses);
      if (fping) {
        cpu.fping.push(fping.cpuUs);
        rtt.fping.push(fping.rttUs);
      }
      if (exporter) {
        const probe = { module: 'icmp', target: '127.0.0.1', inFlight: 64, count: Math.round(2000 * scale) };
        cpu.blackbox.push(await exporter.cpuPerProbeUs(outdir, probe));
      }
    }
  } finally {
    exporter?.stop();
  }
  const line = { metric: '3', ours: cpu.ours, unit: 'µs' };
  return [
    print({
      ...line, what: 'CPU per ping, against blackbox_exporter', note: `${lost} lost`,
      theirs: exporter ? cpu.blackbox : null, floor: { max: 0.1 },
    }),
    print({
      ...line, what: 'CPU per ping, against fping', theirs: cpu.fping.length > 0 ? cpu.fping : null,
    }),
    ...(rtt.fping.length === 0 ? [] : [print({
      ...line, what: 'median round trip, beyond that of fping', theirs: null, limit: { max: 100 },
      ours: rtt.ours.map((ours, round) => ours - (rtt.fping[round] as number)),
    })]),
    lost === 0,
  ];
};

/** CPU per ping and median of the addresses' mean round trips, µs; null without fping. */
function runFping(addresses: string[]): { cpuUs: number; rttUs: number } | null {
  const script = `fping -q -c${PACKETS} -i0.01 -p1 ${addresses.join(' ')} 2>&1; cat /proc/$$/stat`;
  const [command, args] = pinned(0, 'sh', ['-c', script]);
  const output = execFileSync(command, args, { encoding: 'utf8', maxBuffer: MAX_REPORT_BYTES });
  const means = [...output.matchAll(/min\/avg\/max = [\d.]+\/([\d.]+)\//g)].map((match) => Number(match[1]));
  if (means.length === 0) return null;
  // The last line is for the shell, whose fields cutime and cstime are those of fping, in ticks of 10 ms.
  const fields = output.slice(output.lastIndexOf(')') + 2).split(' ');
  const cpuTicks = Number(fields[13]) + Number(fields[14]);
  return { cpuUs: (cpuTicks * 10_000) / (addresses.length * PACKETS), rttUs: median(means) * 1000 };
}
