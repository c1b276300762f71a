import { join } from 'node:path';
import type { CheckResult } from '../../shared/contracts/result.ts';
import { RecentShare, slotsOf } from '../recent-share.ts';
import { Sender } from '../sending/sender.ts';
import type { Lane } from '../spool/lane.ts';
import { Spool, type SpoolOptions } from '../spool/spool.ts';
import type { ProbeLink } from './link.ts';
import type { ProbePorts } from './ports.ts';

export type Results = Awaited<ReturnType<typeof openResults>>;

/** Results on their way from a check to the controllers. */
export async function openResults(
  { settings, clock, log, random, version }: ProbePorts, { link, region, probeId, shardMap }: ProbeLink,
  coverage: SpoolOptions['coverage'],
) {
  const missedShare = new RecentShare(clock);
  const lostShare = new RecentShare(clock);
  const spool: Spool = await Spool.open({
    directory: join(settings.dataDir, 'spool'), shardMap, clock, log, engine: version, coverage,
    onSynced: () => sender.kick(),
    onRefused: (count) => lostShare.add({ all: 0, bad: count }),
  });
  const sender: Sender<Lane> = new Sender({ bus: link, spool, clock, log, random, region, probeId });
  return {
    spool, sender, missedShare, lostShare,
    record: (result: CheckResult, urgent: boolean): void => {
      missedShare.add(slotsOf(result));
      lostShare.add({ all: 1, bad: 0 });
      spool.append(result, urgent);
    },
  };
}
