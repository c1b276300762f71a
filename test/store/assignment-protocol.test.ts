import { beforeAll, expect, test } from 'vitest';
import type { AssignmentDoc, PlannedChange } from '../../controller/assignments/assignment-doc.ts';
import { HeadStore } from '../../controller/assignments/head-store.ts';
import { AssignmentStore } from '../../controller/assignments/store.ts';
import { SecretBox } from '../../controller/secrets/secret-box.ts';
import { buildSyncPage } from '../../controller/assignments/sync-page.ts';
import { AssignmentWriter } from '../../controller/assignments/writer.ts';
import type { Assignment, AssignmentChange, AssignmentDelta } from '../../shared/contracts/assignment.ts';
import { derivedId } from '../../shared/ids.ts';
import { systemClock } from '../../shared/time.ts';
import { randomOf } from '../helpers/random-of.ts';
import { withCheckedMongo } from './with-mongo.ts';
import { fewOrAll } from '../helpers/few-or-all.ts';

const mongo = withCheckedMongo();
let items: AssignmentStore;
let heads: HeadStore;

beforeAll(async () => {
  items = new AssignmentStore(mongo.db, SecretBox.of('test'));
  heads = new HeadStore(mongo.db);
  await items.ensureIndexes();
});

class Crash extends Error {}

/** A writer that dies with the given probability before it numbers or before it settles. */
function mortalWriter(random: () => number, chance: number): AssignmentWriter {
  const orDie = <T>(act: () => Promise<T>) => (random() < chance ? Promise.reject(new Crash()) : act());
  const next = { value: (probeId: string) => orDie(() => heads.next(probeId)) };
  const mortalHeads = Object.create(heads, { next }) as HeadStore;
  const mortalItems = Object.create(items, {
    stage: { value: items.stage.bind(items) },
    atRevision: { value: items.atRevision.bind(items) },
    settle: {
      value: (probeId: string, token: string, rev: number) => orDie(() => items.settle(probeId, token, rev)),
    },
  }) as AssignmentStore;
  return new AssignmentWriter({ items: mortalItems, heads: mortalHeads, clock: systemClock });
}

/** A probe that follows the contract: it applies consecutive changes and requests missing ones. */
class Holder {
  revision = 0;
  readonly held = new Map<string, Assignment>();
  readonly probeId: string;

  constructor(probeId: string) {
    this.probeId = probeId;
  }

  async sync(): Promise<void> {
    const from = this.revision;
    const changes: AssignmentChange[] = [];
    let page: AssignmentDelta;
    let after: string | null = null;
    let isReset = false;
    do {
      page = await buildSyncPage({ items, heads }, this.probeId, { v: 1, revision: from, after });
      changes.push(...page.changes);
      isReset ||= page.reset;
      after = page.more;
    } while (after !== null);
    // A change announced meanwhile is in the response, or a later one reveals that it is missing.
    if (page.revision < this.revision && !isReset) return;
    if (isReset) this.held.clear();
    this.#take(changes, page.revision);
  }

  announce(revision: number, changes: AssignmentChange[]): void {
    if (revision === this.revision + 1) this.#take(changes, revision);
  }

  #take(changes: AssignmentChange[], revision: number): void {
    for (const change of changes) {
      if ('set' in change) this.held.set(change.set.monitor_id, change.set);
      else this.held.delete(change.gone);
    }
    this.revision = revision;
  }
}

function planned(probeId: string, monitor: number, rev: number, isGone: boolean): PlannedChange {
  const monitorId = derivedId('m', monitor);
  const assignment: Assignment = {
    monitor_id: monitorId, organization_id: 'o', project_id: 'p', assignment_rev: rev,
    interval_ms: 1000, timeout_ms: 1, phase_ms: 0, retries: 0, allow_private: true, spec: { type: 'X' },
  };
  const ids = { probe_id: probeId, organization_id: 'o', monitor_id: monitorId };
  return { region: 'r', monitor_rev: rev, assignment: isGone ? null : assignment, ...ids };
}

async function activeIn(probeId: string): Promise<Map<string, AssignmentDoc>> {
  const active = await items.activeOf(probeId, '', 10_000);
  return new Map(active.map((item) => [item.monitor_id, item]));
}

test.each(fewOrAll([1, 2, 3], [1, 2, 3, 4, 5, 6]))('racing and crashing writers and a probe that keeps synchronizing end with the same set (seed %i)', async (
  seed,
) => {
  const random = randomOf(seed * 7919 + Number(process.env['SEED'] ?? 0));
  const probeId = `probe-${seed}`;
  const holder = new Holder(probeId);
  const latest = new Map<number, PlannedChange>();
  let revisionOfAll = 0;
  let deaths = 0;

  const write = async () => {
    for (let round = 0; round < 12; round += 1) {
      const changes = new Map<number, PlannedChange>();
      for (let at = 0; at < 1 + Math.floor(random() * 6); at += 1) {
        const monitor = Math.floor(random() * 12);
        revisionOfAll += 1;
        const change = planned(probeId, monitor, revisionOfAll, random() < 0.3);
        changes.set(monitor, change);
        latest.set(monitor, change);
      }
      const committed = await mortalWriter(random, 0.15)
        .change(probeId, [...changes.values()])
        .catch((error: unknown) => {
          if (!(error instanceof Crash)) throw error;
          deaths += 1;
          return null;
        });
      if (committed && random() < 0.7) holder.announce(committed.revision, committed.changes);
    }
  };
  let isWriting = true;
  const syncing = (async () => {
    while (isWriting) await holder.sync();
  })();
  await Promise.all([write(), write(), write()]);
  isWriting = false;
  await syncing;

  await new AssignmentWriter({ items, heads, clock: systemClock }).recommit(Date.now() + 1);
  expect(await items.probesWithPending(Date.now() + 1)).toEqual([]);
  await holder.sync();
  expect(deaths).toBeGreaterThan(0);
  const stored = await activeIn(probeId);
  const active = [...latest.values()].filter((change) => change.assignment);
  const wanted = new Map(active.map((change) => [change.monitor_id, change.monitor_rev]));
  expect(new Map([...stored].map(([id, item]) => [id, item.monitor_rev]))).toEqual(wanted);
  expect(new Map([...holder.held].map(([id, held]) => [id, held.assignment_rev]))).toEqual(wanted);
  expect(holder.revision).toBe((await heads.find(probeId)).head);
});

test('every response contains changes staged without a revision, before newer ones', async () => {
  const writer = new AssignmentWriter({ items, heads, clock: systemClock });
  await writer.change('p', [planned('p', 1, 1, false)]);
  await items.stage([planned('p', 2, 1, false), planned('p', 1, 2, true)], 'token', 1);
  const page = await buildSyncPage({ items, heads }, 'p', { v: 1, revision: 1, after: null });
  expect(page.revision).toBe(1);
  expect(page.changes).toHaveLength(2);
  expect(page.more).not.toBeNull();
  const last = await buildSyncPage({ items, heads }, 'p', { v: 1, revision: 1, after: page.more });
  expect(last).toMatchObject({ changes: [], more: null, revision: 1 });
});

test('an item never returns to an older revision of its monitor', async () => {
  const writer = new AssignmentWriter({ items, heads, clock: systemClock });
  await writer.change('q', [planned('q', 1, 5, true)]);
  expect(await activeIn('q')).toEqual(new Map());
  await writer.change('q', [planned('q', 1, 7, false)]);
  expect(await writer.change('q', [planned('q', 1, 6, true)])).toBeNull();
  expect(await writer.change('q', [planned('q', 1, 6, false)])).toBeNull();
  expect((await activeIn('q')).get(derivedId('m', 1))?.monitor_rev).toBe(7);
});
