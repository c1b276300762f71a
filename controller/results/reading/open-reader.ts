import { shardOf } from '../../../shared/ids.ts';
import { subjects } from '../../../shared/contracts/subjects.ts';
import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import type { Bus } from '../../platform/bus/bus-port.ts';
import type { Ingest } from '../intake/ingest.ts';
import { openAnswer, openRequest, recentOf, toOpenMonitor, type OpenAnswer, type OpenMonitor } from './open-monitor.ts';
import type { LiveReader, MonitorLive } from './live.ts';
import type { RecentResult } from './periods.ts';
import type { ShardActor } from '../shards/shard-actor.ts';
import { newCell } from '../shards/shard-state.ts';
import type { StateRecord } from '../journal/storage-ports.ts';

/** The subject's last word under which owners are asked. */
const QUESTION = 'open';
const ANSWER_MS = 1000;
/** Monitors in one question. */
const ASK_AT_ONCE = 500;

export interface OpenReaderDeps {
  ingest: Ingest;
  /** State documents, for shards whose owner does not answer: older, but better than nothing. */
  stored(monitorIds: string[]): Promise<StateRecord[]>;
  bus: Bus;
  clock: Clock;
  log: Log;
}

/** Reads what the owners of shards know and have not written: here from memory, elsewhere over the bus. */
export class OpenReader implements LiveReader {
  readonly #deps: OpenReaderDeps;

  constructor(deps: OpenReaderDeps) {
    this.#deps = deps;
  }

  async states(monitorIds: string[]): Promise<Map<string, MonitorLive>> {
    const { monitors } = await this.open(monitorIds, 0);
    return new Map([...monitors].map(([id, monitor]) => [id, monitor.live]));
  }

  /** Knowledge of these monitors, and their newest `recent` results; from state documents where the owner does not answer. */
  async open(monitorIds: string[], recent: number): Promise<{ monitors: Map<string, OpenMonitor>; recent: RecentResult[] }> {
    const byShard = new Map<number, string[]>();
    for (const id of monitorIds) {
      const shard = shardOf(id);
      const ids = byShard.get(shard);
      if (ids) ids.push(id);
      else byShard.set(shard, [id]);
    }
    const answers = await Promise.all([...byShard].map(([shard, ids]) => this.#askShard(shard, ids, recent)));
    const monitors = new Map(answers.flat().flatMap((answer) => answer.monitors.map((monitor) => [monitor.monitor_id, monitor] as const)));
    return { monitors, recent: newestOf(answers.flat().flatMap((answer) => answer.recent), recent) };
  }

  /** Answers a question of another controller; null when the shard is not in hand or it is no question. */
  answer(shard: number, what: string, data: Uint8Array): string | null {
    const actor = this.#deps.ingest.shards.get(shard);
    if (!actor || what !== QUESTION) return null;
    const request = openRequest.safeParse(parseJson(data));
    return request.success ? JSON.stringify(this.#fromMemory(actor, request.data.monitor_ids, request.data.recent)) : null;
  }

  async #askShard(shard: number, ids: string[], recent: number): Promise<OpenAnswer[]> {
    const actor = this.#deps.ingest.shards.get(shard);
    if (actor) return [this.#fromMemory(actor, ids, recent)];
    const answers: OpenAnswer[] = [];
    for (let at = 0; at < ids.length; at += ASK_AT_ONCE) {
      const question = JSON.stringify({ monitor_ids: ids.slice(at, at + ASK_AT_ONCE), recent });
      try {
        const answer = await this.#deps.bus.request(subjects.ask(shard, QUESTION), question, { timeoutMs: ANSWER_MS });
        answers.push(openAnswer.parse(parseJson(answer)));
      } catch (error) {
        this.#deps.log.debug({ err: error, shard }, 'the owner of a shard did not answer');
        answers.push(await this.#fromStore(ids.slice(at)));
        return answers;
      }
    }
    return answers;
  }

  async #fromStore(ids: string[]): Promise<OpenAnswer> {
    const records = await this.#deps.stored(ids);
    const cells = records.map(({ monitor_id: id, state, position }) => ({ id, cell: newCell(state, position) }));
    return { monitors: cells.map(({ id, cell }) => toOpenMonitor(id, cell, this.#deps.clock.now(), null)), recent: [] };
  }

  #fromMemory(actor: ShardActor, ids: string[], recent: number): OpenAnswer {
    const now = this.#deps.clock.now();
    const cells = ids.flatMap((id) => {
      const cell = actor.state.monitors.get(id);
      return cell ? [{ id, cell }] : [];
    });
    // The newest results over all are among those of the monitors that were checked last.
    const latest = recent === 0 ? [] : [...cells].sort((a, b) => (b.cell.state.last_check_at ?? 0) - (a.cell.state.last_check_at ?? 0)).slice(0, recent);
    return {
      monitors: cells.map(({ id, cell }) => toOpenMonitor(id, cell, now, actor.writer)),
      recent: newestOf(latest.flatMap(({ id, cell }) => recentOf(id, cell, recent)), recent),
    };
  }
}

/** The newest of these results, newest first. */
export function newestOf(results: RecentResult[], limit: number): RecentResult[] {
  return results.sort((a, b) => b.checked_at - a.checked_at).slice(0, limit);
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return undefined;
  }
}
