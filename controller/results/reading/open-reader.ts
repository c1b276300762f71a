import { shardOf } from '../../../shared/ids.ts';
import type { Clock } from '../../../shared/time.ts';
import {
  openAnswer, openRequest, recentOf, toOpenMonitor, type OpenAnswer, type OpenMonitor,
} from './open-monitor.ts';
import type { MonitorLive } from './live.ts';
import type { RecentResult } from './periods.ts';
import { shardQuestion, type ShardQuestions } from '../shards/shard-questions.ts';
import type { ShardView } from '../shards/shard.ts';
import { newLiveMonitor } from '../state/live-monitor.ts';
import type { StateRecord } from '../state/records.ts';

/** Monitors in one question. */
const ASK_AT_ONCE = 500;

export interface OpenReaderDeps {
  clock: Clock;
  owners: Pick<ShardQuestions, 'ask'>;
  /** State documents, for shards whose owner does not answer: older, but better than nothing. */
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

  /** Leaves out monitors that nobody has heard of. Never older than 2 s while owners answer. */
  async states(monitorIds: string[]): Promise<Map<string, MonitorLive>> {
    const { monitors } = await this.open(monitorIds, 0);
    return new Map([...monitors].map(([id, monitor]) => [id, monitor.live]));
  }

  /** These monitors and their newest `recent` results; from documents where the owner does not answer. */
  async open(
    monitorIds: string[], recent: number,
  ): Promise<{ monitors: Map<string, OpenMonitor>; recent: RecentResult[] }> {
    const byShard = new Map<number, string[]>();
    for (const id of monitorIds) {
      const shard = shardOf(id);
      const ids = byShard.get(shard);
      if (ids) ids.push(id);
      else byShard.set(shard, [id]);
    }
    const asked = [...byShard].map(([shard, ids]) => this.#askShard(shard, ids, recent));
    const answers = (await Promise.all(asked)).flat();
    const monitors = new Map<string, OpenMonitor>();
    for (const monitor of answers.flatMap((answer) => answer.monitors)) {
      monitors.set(monitor.monitor_id, monitor);
    }
    return { monitors, recent: newestOf(answers.flatMap((answer) => answer.recent), recent) };
  }

  async #askShard(shard: number, ids: string[], recent: number): Promise<OpenAnswer[]> {
    const answers: OpenAnswer[] = [];
    for (let at = 0; at < ids.length; at += ASK_AT_ONCE) {
      const asked = { monitor_ids: ids.slice(at, at + ASK_AT_ONCE), recent };
      const answer = await this.#deps.owners.ask(shard, this.question, asked);
      if (answer === null) return [...answers, await this.#fromStore(ids.slice(at))];
      answers.push(answer);
    }
    return answers;
  }

  async #fromStore(ids: string[]): Promise<OpenAnswer> {
    const records = await this.#deps.stored(ids);
    const now = this.#deps.clock.now();
    const monitors = records.map(({ monitor_id: id, state, position }) =>
      toOpenMonitor(id, newLiveMonitor(state, position), now, null));
    return { monitors, recent: [] };
  }
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
