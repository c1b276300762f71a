import { z } from 'zod';
import type { TlsFacts } from '../../../shared/contracts/result.ts';
import type { MonitorState } from '../../verdicts/monitor-state.ts';
import { shardQuery, type ShardQueries } from '../shards/shard-queries.ts';
import type { StateRecord } from '../state/records.ts';

/** The certificate that one region sees. Timestamps are Unix ms. */
const regionCertificate = z.object({
  region: z.string(),
  fingerprint256: z.string(),
  expires_at: z.number().nullable(),
  /** When a check of the region last saw it. */
  checked_at: z.number(),
});
export type RegionCertificate = z.infer<typeof regionCertificate>;

/** The certificates that the regions of a monitor see; empty if none is known. */
export const certificateQuery = shardQuery({
  name: 'certificate',
  params: z.object({ monitor_id: z.string() }),
  response: z.object({ regions: z.array(regionCertificate) }),
  fromMemory: ({ state }, { monitor_id: id }) => {
    const monitor = state.monitors.get(id);
    return { regions: monitor ? regionsOf(monitor.state) : [] };
  },
});

export interface CertificateReaderDeps {
  owners: Pick<ShardQueries, 'requestOnce' | 'shardMap'>;
  /** State documents. */
  stored(monitorIds: string[]): Promise<StateRecord[]>;
  certificates: { find(monitorId: string): Promise<TlsFacts | null> };
}

export class CertificateReader {
  readonly #deps: CertificateReaderDeps;

  constructor(deps: CertificateReaderDeps) {
    this.#deps = deps;
  }

  /**
   * The target's latest certificate and each region's view; null before the first. If the owner is
   * unavailable, the state document is used, whose `checked_at` may be outdated.
   */
  async read(monitorId: string): Promise<{ facts: TlsFacts; regions: RegionCertificate[] } | null> {
    const { owners, stored, certificates } = this.#deps;
    const [response, facts] = await Promise.all([
      owners.requestOnce(owners.shardMap.of(monitorId), certificateQuery, { monitor_id: monitorId }),
      certificates.find(monitorId),
    ]);
    const regions =
      response?.regions ?? (await stored([monitorId])).flatMap(({ state }) => regionsOf(state));
    return facts && regions.length > 0 ? { facts, regions } : null;
  }
}

/** By region. */
function regionsOf({ certificate, regions }: MonitorState): RegionCertificate[] {
  const seen = certificate?.seen.flatMap(({ fingerprint256, expires_at, regions: noted }) =>
    Object.entries(noted).map(([region, notedAt]) => ({
      region, fingerprint256, expires_at, checked_at: Math.max(notedAt, lastSeenAt(regions[region]) ?? 0),
    })));
  return (seen ?? []).sort((one, other) => (one.region < other.region ? -1 : 1));
}

/** A result without facts saw the same certificate as before, unless it failed before the TLS handshake. */
function lastSeenAt(region: MonitorState['regions'][string] | undefined): number | null {
  const { error = null, last_at = null } = region ?? {};
  const hasSeenCertificate = error === null || error.layer === 'response' || error.layer === 'content';
  return hasSeenCertificate ? last_at : null;
}
