import { z } from 'zod';
import { shardOf } from '../../../shared/ids.ts';
import type { TlsFacts } from '../../../shared/contracts/result.ts';
import type { MonitorState } from '../../verdicts/monitor-state.ts';
import { shardQuery, type ShardQueries } from '../shards/shard-queries.ts';
import type { StateRecord } from '../state/records.ts';

/** The certificate that one region sees. Instants are Unix ms. */
const regionCertificate = z.object({
  region: z.string(),
  fingerprint256: z.string(),
  expires_at: z.number().nullable(),
  /** When a check of the region last met it. */
  checked_at: z.number(),
});
export type RegionCertificate = z.infer<typeof regionCertificate>;

/** Which certificates the regions of a monitor see; empty while none is known. */
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
  owners: Pick<ShardQueries, 'requestOnce'>;
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
   * The certificate that the target showed last, and what each region sees; null before the first. The state
   * document stands in for an owner that is away: then `checked_at` may be old.
   */
  async read(monitorId: string): Promise<{ facts: TlsFacts; regions: RegionCertificate[] } | null> {
    const { owners, stored, certificates } = this.#deps;
    const [response, facts] = await Promise.all([
      owners.requestOnce(shardOf(monitorId), certificateQuery, { monitor_id: monitorId }),
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

/** A result without facts has met the same certificate as before, unless it failed before it met any. */
function lastSeenAt(region: MonitorState['regions'][string] | undefined): number | null {
  const { error = null, last_at = null } = region ?? {};
  const hasSeenCertificate = error === null || error.layer === 'response' || error.layer === 'content';
  return hasSeenCertificate ? last_at : null;
}
