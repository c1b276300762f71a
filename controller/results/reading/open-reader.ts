import { shardOf } from '../../../shared/ids.ts';
import type { Clock } from '../../../shared/time.ts';
import {
  openAnswer, openRequest, recentOf, toOpenMonitor, type OpenAnswer, type OpenMonitor,
} from './open-monitor.ts';
import { viewLive, type MonitorLive } from './live.ts';
import type { RecentResult } from './periods.ts';
import { shardQuestion, type ShardQuestions } from '../shards/shard-questions.ts';
import type { ShardView } from '../shards/shard-message.ts';
import type { StateRecord } from '../state/records.ts';

/** Monitors in one question. */
const ASK_AT_ONCE = 500;

export interface OpenReaderDeps {
  clock: Clock;
  owners: Pick<ShardQuestions, 'ask' | 'askOnce'>;
  /** State documents. */
  stored(monitorIds: string[]): Promise<StateRecord[]>;
}

/** Reads what the owners of shards know and have not written yet. */
export class OpenReader {
  readonly #deps: OpenReaderDeps;

  readonly question = shardQuestion({
    name: 'open',
    asked: openRequest,
    answered: openAnswer,
    fromMemory: (shard, { monitor_ids: ids, recent }) =>
      fromMemory(shard, ids, recent, this.#deps.clock.now()),
  });

  constructor(deps: OpenReaderDeps) {
    this.#deps = deps;
  }

  /**
   * Leaves out monitors that nobody has heard of. Never older than 2 s while owners answer. Documents stand
   * in for an owner that is away: a change of status is written at once, so that only times may be old.
   */
  async states(monitorIds: string[]): Promise<Map<string, MonitorLive>> {
    const answers = await inChunks(monitorIds, async (shard, ids) => {
      const answer = await this.#deps.owners.askOnce(shard, this.question, { monitor_ids: ids, recent: 0 });
      return answer?.monitors.map(({ monitor_id: id, live }) => [id, live] as const) ?? this.#fromStore(ids);
    });
    return new Map(answers.flat());
  }

  /**
   * What the owners count of these monitors, and their newest `recent` results. Leaves out monitors that
   * nobody has heard of.
   * @throws AppError SERVICE_UNAVAILABLE when an owner does not answer.
   */
  async open(
    monitorIds: string[], recent: number,
  ): Promise<{ monitors: Map<string, OpenMonitor>; recent: RecentResult[] }> {
    const answers = await inChunks(monitorIds, (shard, ids) =>
      this.#deps.owners.ask(shard, this.question, { monitor_ids: ids, recent }));
    const monitors = new Map<string, OpenMonitor>();
    for (const monitor of answers.flatMap((answer) => answer.monitors)) {
      monitors.set(monitor.monitor_id, monitor);
    }
    return { monitors, recent: newestOf(answers.flatMap((answer) => answer.recent), recent) };
  }

  async #fromStore(ids: string[]): Promise<(readonly [string, MonitorLive])[]> {
    const now = this.#deps.clock.now();
    return (await this.#deps.stored(ids)).map(({ monitor_id: id, state }) => [id, viewLive(state, now)]);
  }
}

/** Asks all shards of these monitors at once, and each of them in turn about up to ASK_AT_ONCE. */
async function inChunks<A>(
  monitorIds: string[], ask: (shard: number, ids: string[]) => Promise<A>,
): Promise<A[]> {
  const byShard = new Map<number, string[]>();
  for (const id of monitorIds) {
    const shard = shardOf(id);
    const ids = byShard.get(shard);
    if (ids) ids.push(id);
    else byShard.set(shard, [id]);
  }
  const answers = await Promise.all([...byShard].map(async ([shard, ids]) => {
    const found: A[] = [];
    for (let at = 0; at < ids.length; at += ASK_AT_ONCE) {
      found.push(await ask(shard, ids.slice(at, at + ASK_AT_ONCE)));
    }
    return found;
  }));
  return answers.flat();
}

function fromMemory({ state, writer }: ShardView, ids: string[], recent: number, now: number): OpenAnswer {
  const cells = ids.flatMap((id) => {
    const cell = state.monitors.get(id);
    return cell ? [{ id, cell }] : [];
  });
  // The newest results overall are among those of the monitors that were checked last.
  const lastCheck = ({ cell }: (typeof cells)[number]): number => cell.state.last_check_at ?? 0;
  const latest = recent === 0 ? [] : [...cells].sort((a, b) => lastCheck(b) - lastCheck(a)).slice(0, recent);
  return {
    monitors: cells.map(({ id, cell }) => toOpenMonitor(id, cell, now, writer)),
    recent: newestOf(latest.flatMap(({ id, cell }) => recentOf(id, cell, recent)), recent),
  };
}

/** The newest of these results, newest first. */
export function newestOf(results: RecentResult[], limit: number): RecentResult[] {
  return results.sort((a, b) => b.checked_at - a.checked_at).slice(0, limit);
}
