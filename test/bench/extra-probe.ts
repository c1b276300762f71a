import { spawn } from 'node:child_process';
import type { ApiSession } from '../helpers/api-session.ts';
import { cleanEnvironment } from '../helpers/clean-environment.ts';
import { until } from '../helpers/until.ts';

interface ExtraProbeOptions {
  /** URL of the installation that the probe enrols with. */
  url: string;
  session: ApiSession;
  /** Created if missing. */
  region: string;
  name: string;
  dataDir: string;
  /** farwatch.mjs of the checkout. */
  start: string;
  env?: Record<string, string>;
}

export interface ExtraProbe {
  pid: number;
  stop(): Promise<void>;
}

/** Creates a region with a connected probe in a separate process. */
export async function startExtraProbe(options: ExtraProbeOptions): Promise<ExtraProbe> {
  const { url, session, region, name, dataDir, start, env } = options;
  const { regions } = await session.ok<{ regions: { id: string }[] }>('GET', '/api/regions');
  if (!regions.some(({ id }) => id === region)) {
    await session.ok('POST', '/api/regions', { id: region, name: region, city: 'Oslo', country: 'NO' });
  }
  const { enrolment_token: token } = await session.ok<{ enrolment_token: string }>(
    'POST', '/api/probes', { region_id: region, name },
  );
  const probe = spawn(process.execPath, [start, 'probe', '--controller', url, '--token', token], {
    env: cleanEnvironment({ DATA_DIR: dataDir, ...env }), stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  probe.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes('"msg":"connected"'), { what: `${name} connects` });
  return {
    pid: probe.pid as number,
    async stop() {
      probe.kill('SIGTERM');
      await until(() => probe.exitCode !== null || probe.signalCode !== null, { what: `${name} stops` });
    },
  };
}
