import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiSession } from '../../helpers/api-session.ts';
import { cleanEnvironment } from '../../helpers/clean-environment.ts';
import { startFarwatch } from '../../helpers/farwatch.ts';
import { until } from '../../helpers/until.ts';
import { trusted } from './certificates.ts';
import type { World } from './world.ts';

/** An installation with a probe in each of two regions, and a session of its operator. */
export interface Fleet {
  session: ApiSession;
  stop(): Promise<void>;
}

/** Both probes trust the world's certificates, and each asks the name servers of its region. */
export async function startFleet(world: World, start: string): Promise<Fleet> {
  const directory = mkdtempSync(join(tmpdir(), 'farwatch-scenarios-'));
  const roots = join(directory, 'roots.pem');
  writeFileSync(roots, trusted(world.certificates));
  const farwatch = await startFarwatch({
    env: {
      MIN_INTERVAL_SECONDS: '1', ALLOW_PRIVATE_DESTINATIONS: 'true', RATE_LIMIT: '1000000', LOG_LEVEL: 'info',
      NODE_EXTRA_CA_CERTS: roots, PROBE_DNS_SERVERS: world.nameServers.map(({ place }) => place).join(','),
    },
  });
  const session = await new ApiSession(farwatch.url).begin();
  const { regions: [home] } = await session.ok<{ regions: [{ id: string }] }>('GET', '/api/regions');
  const { region: abroad } = await session.ok<{ region: { id: string } }>(
    'POST', '/api/regions', { id: 'abroad', name: 'Abroad', city: 'Oslo', country: 'NO' },
  );
  const { enrolment_token: token } = await session.ok<{ enrolment_token: string }>(
    'POST', '/api/probes', { region_id: abroad.id, name: 'abroad-1' },
  );
  const probe = spawn(
    process.execPath, [start, '--probe', '--controller', farwatch.url, '--token', token],
    {
      env: cleanEnvironment({
        DATA_DIR: join(directory, 'probe'), NODE_EXTRA_CA_CERTS: roots,
        PROBE_DNS_SERVERS: world.nameServerAbroad.place,
      }),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  probe.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(() => output.includes('"msg":"connected"'), { what: 'the second probe connects' });
  world.regions = [home.id, abroad.id];
  return {
    session,
    async stop() {
      probe.kill('SIGTERM');
      await until(() => probe.exitCode !== null || probe.signalCode !== null, { what: 'the second probe stops' });
      await farwatch.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
