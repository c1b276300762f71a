import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiSession } from '../../helpers/api-session.ts';
import { startFarwatch } from '../../helpers/farwatch.ts';
import { startExtraProbe } from '../extra-probe.ts';
import { trusted } from './certificates.ts';
import type { World } from './world.ts';

/** An installation with one probe in each of two regions, and its operator's session. */
export interface Fleet {
  session: ApiSession;
  stop(): Promise<void>;
}

/** Both probes trust the world's certificates; each queries the name servers of its region. */
export async function startFleet(world: World, start: string): Promise<Fleet> {
  const directory = mkdtempSync(join(tmpdir(), 'farwatch-scenarios-'));
  const roots = join(directory, 'roots.pem');
  writeFileSync(roots, trusted(world.certificates));
  const farwatch = await startFarwatch({
    env: {
      MIN_INTERVAL_SECONDS: '1', ALLOW_PRIVATE_DESTINATIONS: 'true', RATE_LIMIT: '1000000', LOG_LEVEL: 'info',
      NODE_EXTRA_CA_CERTS: roots, PROBE_DNS_SERVERS: world.nameServers.map(({ endpoint: place }) => place).join(','),
    },
  });
  const session = await new ApiSession(farwatch.url).begin();
  const { regions: [home] } = await session.ok<{ regions: [{ id: string }] }>('GET', '/api/regions');
  const probe = await startExtraProbe({
    url: farwatch.url, session, region: 'abroad', name: 'abroad-1', dataDir: join(directory, 'probe'), start,
    env: { NODE_EXTRA_CA_CERTS: roots, PROBE_DNS_SERVERS: world.nameServerAbroad.endpoint },
  });
  world.regions = [home.id, 'abroad'];
  return {
    session,
    async stop() {
      await probe.stop();
      await farwatch.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
