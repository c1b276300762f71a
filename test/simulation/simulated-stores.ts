import type { HourRecord } from '../../controller/results/hours/hour-record.ts';
import type { InsertOutcome, JournalEntry } from '../../controller/results/journal/journal-store.ts';
import type { CheckpointStart, StateRecord } from '../../controller/results/state/records.ts';
import type { PingStore } from '../../controller/heartbeats/store.ts';
import type { PingSource } from '../../controller/results/feeds/ping-feed.ts';
import type { Lease } from '../../controller/results/shards/lease-rules.ts';
import type { LeaseDeps } from '../../controller/results/shards/leases.ts';
import type { ShardStores } from '../../controller/results/shards/shard-parts.ts';
import type { ShardsDeps } from '../../controller/results/shards/shards.ts';
import type { ChangeFeedDeps } from '../../controller/results/feeds/change-feed.ts';
import type { AlertsPort, IncidentsPort } from '../../controller/verdicts/effect.ts';
import { packPart, type PackedPart, unpackPart } from '../../controller/results/writing/checkpoint-part.ts';
import type { StatusHistory } from '../../controller/results/writing/monitor-writes.ts';
import type { MonitorConfig } from '../../controller/verdicts/monitor-config.ts';
import { decodeBlock, encodeBlock } from '../../controller/results/hours/block-codec.ts';
import { DAY_MS, HOUR_MS } from '../../controller/verdicts/time-accounting/time-accounting-rules.ts';
import { ResultColumns } from '../../controller/results/hours/result-columns.ts';
import { emptyRollup, mergeRollups } from '../../controller/results/hours/rollup.ts';
import { entryText, type SimulatedDatabase } from './simulated-database.ts';
import type { Line } from './wire.ts';
import { shardMap } from '../helpers/shard-map.ts';

/** Everything that one controller's ingest writes to. */
export interface ControllerStores {
  journal: ShardStores['journal'];
  snapshots: ShardStores['snapshots'];
  states: ShardStores['states'];
  checkpoints: ShardStores['checkpoints'];
  hours: ShardStores['hours'];
  deadLetters: ShardsDeps['stores']['deadLetters'];
  history: StatusHistory;
  incidents: IncidentsPort;
  alerts: AlertsPort;
  certificates: ShardStores['certificates'];
  features: ShardStores['features'];
  targetChanges: ShardStores['targetChanges'];
  leases: LeaseDeps['store'];
  marks: MarkPorts;
  pings: Pick<PingStore, 'insert'> & PingSource;
}

export type MarkPorts = Pick<ChangeFeedDeps<MonitorConfig>, 'findMarked' | 'place' | 'clear'>;

/** The stores of one process. Each call is one or more commands on its wire. */
export function simulatedStores(db: SimulatedDatabase, wire: Line): ControllerStores {
  return {
    journal: journalStore(db, wire), snapshots: snapshotStore(db, wire), states: stateStore(db, wire),
    checkpoints: checkpointStore(db, wire),
    hours: hourStore(db, wire),
    deadLetters: {
      add: (letters) => insertAbsent(wire, db.letters, letters.map((letter) => [letter.id, letter])),
    },
    history: { add: (change) => insertAbsent(wire, db.statusChanges, [[change.id, change]]) },
    incidents: incidentsPort(db, wire),
    alerts: { fanOut: (alert) => insertAbsent(wire, db.alerts, [[alert.id, alert]]) },
    certificates: certificateStore(db, wire),
    features: featureStore(db, wire),
    targetChanges: {
      record: (sighting) => (
        insertAbsent(wire, db.sightings, [[`${sighting.monitor_id} ${sighting.position}`, sighting]])
      ),
      forget: async () => undefined,
    },
    leases: leaseStore(db, wire),
    marks: markPorts(db, wire),
    pings: pingPorts(db, wire),
  };
}

function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function insertAbsent<T>(wire: Line, into: Map<string, T>, found: [id: string, value: T][]): Promise<void> {
  const docs = copy(found);
  return wire.write(
    docs.map(([id, value]) => () => void (into.has(id) || into.set(id, value))), () => undefined,
  );
}

function certificateStore({ certificates }: SimulatedDatabase, wire: Line): ShardStores['certificates'] {
  return {
    save: (sighting) => {
      const stored = copy(sighting);
      const { monitor_id: id } = stored;
      const isLater = (): boolean => stored.seen_at > (certificates.get(id)?.seen_at ?? -Infinity);
      return wire.write([() => void (isLater() && certificates.set(id, stored))], () => undefined);
    },
    remove: (ids) => wire.write(ids.map((id) => () => void certificates.delete(id)), () => undefined),
  };
}

function featureStore({ features }: SimulatedDatabase, wire: Line): ShardStores['features'] {
  return {
    save: (record) => {
      const stored = copy(record);
      const { monitor_id: id, position } = stored;
      const isLater = (): boolean => position > (features.get(id)?.position ?? -Infinity);
      return wire.write([() => void (isLater() && features.set(id, stored))], () => undefined);
    },
    remove: (ids) => wire.write(ids.map((id) => () => void features.delete(id)), () => undefined),
  };
}

function journalStore(db: SimulatedDatabase, wire: Line): ShardStores['journal'] {
  const whose = (entry: JournalEntry): Promise<InsertOutcome> => wire.read(() => {
    const found = db.journalOf(entry.shard).get(entry.n);
    const { writer, taken_at: takenAt } = JSON.parse(found ?? '{}') as Partial<JournalEntry>;
    return writer === entry.writer && takenAt === entry.taken_at ? 'ours' : 'taken';
  });
  return {
    async insert(entries) {
      const texts = entries.map(entryText);
      const isIn: boolean[] = [];
      const isFree = await wire.write(
        texts.map((text, index) => () => void (isIn[index] = db.insertEntry(text))), () => isIn,
      );
      return Promise.all(entries.map(async (entry, index) => (isFree[index] ? 'written' : whose(entry))));
    },
    read: (shard, after, limit) => wire.read(() => {
      const numbers =
        [...db.journalOf(shard).keys()].filter((n) => n > after).sort((a, b) => a - b).slice(0, limit);
      return numbers.map((n) => db.parse(db.journalOf(shard).get(n) as string));
    }),
    deleteThrough: (shard, n) => wire.write([() => {
      for (const key of db.journalOf(shard).keys()) if (key <= n) db.journalOf(shard).delete(key);
    }], () => undefined),
  };
}

function snapshotStore(db: SimulatedDatabase, wire: Line): ShardStores['snapshots'] {
  return {
    numbers: (shards) => wire.read(() => new Map(shards.flatMap((shard) => {
      const found = db.snapshots.get(shard);
      return found ? [[shard, found.position] as const] : [];
    }))),
    load: (shard) => wire.read(() => {
      const found = db.snapshots.get(shard);
      return {
        n: found?.position ?? 0, lanes: [], ...(JSON.parse(found?.content ?? '{}') as object),
        taken_at: found?.taken_at ?? 0,
      };
    }),
    move: (shard, snapshot) => {
      const content = JSON.stringify({ lanes: snapshot.lanes });
      return wire.write([() => {
        if (db.careless.has('snapshots') || (db.snapshots.get(shard)?.position ?? -1) < snapshot.n) {
          db.snapshots.set(shard, { position: snapshot.n, content, taken_at: snapshot.taken_at });
        }
      }], () => undefined);
    },
  };
}

function stateStore(db: SimulatedDatabase, wire: Line): ShardStores['states'] {
  const recordsOf = (isWanted: (id: string, shard: number, position: number) => boolean): StateRecord[] =>
    [...db.states].filter(
      ([id, { shard, position }]) => isWanted(id, shard, position),
    ).map(([id, { shard, position, content, outbox }]) => ({
      monitor_id: id, shard, position, state: JSON.parse(content) as StateRecord['state'],
      outbox: JSON.parse(outbox) as StateRecord['outbox'],
    }));
  return {
    load: (shard, after = null) => wire.read(() =>
      recordsOf((_, of, position) => of === shard && (after === null || position > after))),
    find: (ids) => wire.read(() => recordsOf((id) => ids.includes(id))),
    write: (records) => wire.write(records.map(({ monitor_id: id, shard, position, state, outbox }) => {
      const doc = { shard, position, content: JSON.stringify(state), outbox: JSON.stringify(outbox) };
      return () => void ((db.careless.has('states') || (db.states.get(id)?.position ?? -1) < position) &&
        db.states.set(id, doc));
    }), () => undefined),
    clearOutboxes: (done) => wire.write(copy(done).map(({ monitor_id: id, position }) => () => {
      const found = db.states.get(id);
      if (found?.position === position) db.states.set(id, { ...found, outbox: '[]' });
    }), () => undefined),
    remove: (ids) => wire.write(ids.map((id) => () => void db.states.delete(id)), () => undefined),
  };
}

function checkpointStore({ checkpoints }: SimulatedDatabase, wire: Line): ShardStores['checkpoints'] {
  return {
    load: (shard, after) => wire.read(() => {
      const found = checkpoints.get(shard);
      if (!found || found.position <= after) return null;
      const { parts, ...start } = JSON.parse(found.content) as CheckpointStart & { parts: PackedPart[] };
      return { ...start, states: parts.flatMap(unpackPart) };
    }),
    begin: async (shard, start) => {
      const copied = copy(start);
      const parts: PackedPart[] = [];
      return {
        add: (part) => {
          parts.push(copy(packPart(part)));
          return wire.write([() => undefined], () => undefined);
        },
        finish: () => wire.write([() => {
          if ((checkpoints.get(shard)?.position ?? -1) >= copied.n) return;
          checkpoints.set(shard, { position: copied.n, content: JSON.stringify({ ...copied, parts }) });
        }], () => undefined),
      };
    },
  };
}

const hourId = (key: { monitor_id: string; hour: number }): string =>
  `${key.monitor_id}:${key.hour / HOUR_MS}`;
const dayId = (key: { monitor_id: string; day: number }): string => `${key.monitor_id}:${key.day / DAY_MS}`;

function hourStore(db: SimulatedDatabase, wire: Line): ShardStores['hours'] {
  const putAhead = <T extends { position: number }>(into: Map<string, T>, id: string, doc: T): void => {
    if (db.careless.has('hours') || (into.get(id)?.position ?? -1) < doc.position) into.set(id, doc);
  };
  return {
    read: (keys) => wire.read(() => keys.flatMap((key): HourRecord[] => {
      const rollup = db.hours.get(hourId(key));
      const block = db.blocks.get(hourId(key));
      if (!rollup && !block) return [];
      const position = block?.position ?? rollup?.position ?? 0;
      return [{
        ...key, position, rows: block ? decodeBlock(block.bytes) : new ResultColumns(0),
        rollup: copy(rollup?.rollup ?? emptyRollup()),
      }];
    })),
    async write(records) {
      const blocks = records.filter((record) => record.rows.length > 0)
        .map((record) => [
          hourId(record), { position: record.position, bytes: encodeBlock(record.rows) },
        ] as const);
      const rollups = records.map(
        (record) => [hourId(record), { position: record.position, rollup: copy(record.rollup) }] as const,
      );
      await wire.write(blocks.map(([id, doc]) => () => putAhead(db.blocks, id, doc)), () => undefined);
      await wire.write(rollups.map(([id, doc]) => () => putAhead(db.hours, id, doc)), () => undefined);
    },
    async rollDays(days) {
      const docs = await wire.read(() => days.map((key) => {
        const hours = Array.from(
          { length: 24 },
          (_, hour) => db.hours.get(hourId({ monitor_id: key.monitor_id, hour: key.day + hour * HOUR_MS })),
        );
        return { key, rollup: copy(mergeRollups(hours.flatMap((hour) => (hour ? [hour.rollup] : [])))) };
      }));
      await wire.write(docs.map(({ key, rollup }, index) => () =>
        putAhead(
          db.days, dayId(key), { position: (days[index] as { position: number }).position, rollup },
        )), () => undefined);
    },
  };
}

function incidentsPort(db: SimulatedDatabase, wire: Line): IncidentsPort {
  return {
    open: (opening) => insertAbsent(wire, db.incidents, [[opening.id, { opening, resolution: null }]]),
    resolve: (resolution) => {
      const stored = copy(resolution);
      return wire.write([() => {
        const found = db.incidents.get(stored.id);
        if (!found) db.complain(`incident ${stored.id} was resolved before it was opened`);
        else if (!found.resolution) db.incidents.set(stored.id, { ...found, resolution: stored });
      }], () => undefined);
    },
    regionChanged: (change) => insertAbsent(wire, db.regionChanges, [[change.id, change]]),
    recordVotes: (record) => insertAbsent(wire, db.votes, [[record.id, record]]),
  };
}

function leaseStore(db: SimulatedDatabase, wire: Line): LeaseDeps['store'] {
  const isUnchanged = (lease: Lease): boolean => {
    const { shard, holder } = lease;
    const found = shard === null
      ? { holder, renewed_at: db.controllers.get(holder)?.renewed_at }
      : db.leases.get(shard);
    return found?.holder === holder && found.renewed_at === lease.renewed_at;
  };
  return {
    list: () => wire.read(() => [
      ...[...db.controllers].map(([holder, sign]) => ({ shard: null, holder, ...sign })),
      ...db.leases.values(),
    ]),
    announce: (holder, sign) => wire.write([() => void db.controllers.set(holder, sign)], () => undefined),
    acquire: (shard, holder, from, renewedAt) => {
      let isOurs = false;
      return wire.write([() => {
        isOurs = from ? isUnchanged(from) : (db.leases.get(shard)?.holder ?? holder) === holder;
        if (isOurs) db.leases.set(shard, { shard, holder, renewed_at: renewedAt });
      }], () => isOurs);
    },
    renew: (shards, holder, sign) => {
      let matched = 0;
      const ours = shards.map((shard) => () => {
        if (db.leases.get(shard)?.holder !== holder) return;
        db.leases.set(shard, { shard, holder, ...sign });
        matched += 1;
      });
      const shown = () => {
        if (!db.controllers.has(holder)) return;
        db.controllers.set(holder, sign);
        matched += 1;
      };
      return wire.write([shown, ...ours], () => matched === shards.length + 1);
    },
    release: (shards, holder) => wire.write(shards.map((shard) => () => {
      if (db.leases.get(shard)?.holder === holder) db.leases.delete(shard);
    }), () => undefined),
    leave: (holder) => wire.write([() => void db.controllers.delete(holder)], () => undefined),
    removeDead: (dead) => wire.write(
      [() => void (isUnchanged(dead) && db.controllers.delete(dead.holder))], () => undefined,
    ),
  };
}

function pingPorts(db: SimulatedDatabase, wire: Line): ControllerStores['pings'] {
  return {
    insert: (ping) => wire.write([() => void db.pings.set(ping.id, { ...ping })], () => undefined),
    find: (shards, limit) => wire.read(() => {
      const found = [...db.pings.values()].filter(({ shard }) => shards.includes(shard));
      return copy(found.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).slice(0, limit));
    }),
    remove: (ids) => wire.write(ids.map((id) => () => void db.pings.delete(id)), () => undefined),
  };
}

function markPorts(db: SimulatedDatabase, wire: Line): MarkPorts {
  return {
    findMarked: (shards, limit) => wire.read(() => {
      const found = [...db.monitors.values()].filter(
        ({ config, isMarked }) => isMarked && shards.includes(shardMap.of(config.monitor_id)),
      );
      return found.slice(0, limit).map(({ config }) => ({
        shard: shardMap.of(config.monitor_id), config: { ...config }, monitor: { ...config },
      }));
    }),
    place: (monitors) => wire.write(monitors.map((config) => () => place(db, config)), () => undefined),
    clear: (marks) => wire.write(marks.map(({ monitor_id: id, revision }) => () => {
      const found = db.monitors.get(id);
      if (found?.config.revision === revision) db.monitors.set(id, { ...found, isMarked: false });
    }), () => undefined),
  };
}

/** The desired state. An older revision of a monitor is ignored. */
function place(db: SimulatedDatabase, config: MonitorConfig): void {
  for (const [region, placed] of db.assignments) {
    const current = placed.get(config.monitor_id);
    if (current && current.config.revision > config.revision) continue;
    if (config.type === 'HEARTBEAT') continue;
    const isWanted = config.monitoring_regions.length === 0 || config.monitoring_regions.includes(region);
    if (isWanted) placed.set(config.monitor_id, { config });
  }
}
