import { cpus } from 'node:os';
import { ensureBundles } from '../../deploy/quickstart/bundle.mjs';
import { METRICS } from './metrics.ts';

/** Runs the named metrics, or all. Exits with 1 if one misses its floor. */
export async function main(args: string[], options: { outdir: string; root: string }): Promise<number> {
  const isQuick = args.includes('--quick');
  const wanted = args.filter((arg) => !arg.startsWith('--'));
  const size = (name: string, otherwise: number) => {
    const given = args.find((arg) => arg.startsWith(`--${name}=`));
    return given === undefined ? otherwise : Number(given.slice(name.length + 3));
  };
  const unknown = wanted.filter((name) => !(name in METRICS));
  if (unknown.length > 0) {
    process.stderr.write(`${unknown.join(', ')}: unknown metric; choose from ${Object.keys(METRICS).join(', ')}\n`);
    return 2;
  }
  const bundles = await ensureBundles({ root: options.root, say: () => undefined });
  const [cpu] = cpus();
  process.stdout.write(
    `Node ${process.version} on ${cpus().length} × ${cpu?.model ?? 'unknown'}${isQuick ? '; quick: not a valid measurement' : ''}\n`,
  );
  const outcomes: (boolean | null)[] = [];
  for (const [name, metric] of Object.entries(METRICS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    outcomes.push(...(await metric({
      ...options, bundles, rounds: isQuick ? 1 : 5, scale: isQuick ? 0.25 : 1, isLong: args.includes('--long'), size,
    })));
  }
  const failed = outcomes.filter((outcome) => outcome === false).length;
  process.stdout.write(
    `${outcomes.filter((outcome) => outcome === true).length} floors held, ${failed} not\n`,
  );
  return failed > 0 && !isQuick ? 1 : 0;
}
