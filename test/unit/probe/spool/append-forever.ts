import { pino } from 'pino';
import { Spool } from '../../../../probe/spool/spool.ts';
import { systemClock } from '../../../../shared/time.ts';
import { buildResult } from './open-spool.ts';
import { shardMap } from '../../../helpers/shard-map.ts';

/** Appends to a spool until it is killed; after each sync, reports up to which number each lane is durable. */
const [directory = '', ...monitors] = process.argv.slice(2);
const spool = await Spool.open({
  directory, shardMap, clock: systemClock, log: pino({ level: 'silent' }), engine: '1',
  limits: { maxBytes: 1e9, segmentBytes: 20_000, maxPending: 100_000, cacheBytes: 1e6 },
  coverage: () => ({ until: systemClock.now(), open: [] }),
  onSynced: (lanes) => {
    process.stdout.write(`${JSON.stringify(lanes.map((lane) => [lane.epoch, lane.shard, lane.synced]))}\n`);
    for (const lane of lanes) if (lane.synced % 3 === 0) spool.trim(lane, Math.floor(lane.synced / 2));
  },
});
let turn = 0;
const append = (): void => {
  for (let at = 0; at < 7; at += 1) {
    turn += 1;
    spool.append(
      buildResult(monitors[turn % monitors.length] as string, { scheduled_at: turn }), turn % 50 === 0,
    );
  }
  if (turn % 210 === 0) void spool.flush();
  setImmediate(append);
};
append();
