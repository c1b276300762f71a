import { z } from 'zod';
import type { ShardView } from '../../shards/shard-message.ts';
import { shardQuery } from '../../shards/shard-queries.ts';
import type { FreshResult } from '../../state/entry-step.ts';
import type { ShardState } from '../../state/shard-state.ts';

/** Monitors remembered per project and shard, with a margin for deleted ones. */
const MAX_MONITORS = 20;

const latestResponse = z.array(z.object({ monitor_id: z.string(), at: z.number() }));
type Latest = z.infer<typeof latestResponse>;

/**
 * Each project's most recently checked monitors, newest first, for local shards and without heartbeats. Built
 * from a shard's states on the first query, then kept up to date.
 */
export class LatestChecks {
  readonly #byShard = new WeakMap<ShardState, Map<string, Latest>>();

  readonly query = shardQuery({
    name: 'latest',
    params: z.object({ project_id: z.string() }),
    response: latestResponse,
    fromMemory: (shard, { project_id }) => this.#of(shard, project_id),
  });

  /** The project's monitors that are not deleted. */
  #of(shard: ShardView, projectId: string): Latest {
    const { state } = shard;
    const projects = this.#byShard.get(state) ?? this.#follow(shard);
    const statusOf = (id: string): string => state.monitors.get(id)?.state.config.status ?? 'deleted';
    return (projects.get(projectId) ?? []).filter(({ monitor_id: id }) => statusOf(id) !== 'deleted');
  }

  #follow(shard: ShardView): Map<string, Latest> {
    const { state } = shard;
    const projects = new Map<string, Latest>();
    for (const [id, { state: { config, last_check_at: at } }] of state.monitors) {
      if (at === null || config.type === 'HEARTBEAT' || config.status === 'deleted') continue;
      remember(projects, config.project_id, { monitor_id: id, at });
    }
    this.#byShard.set(state, projects);
    shard.follow((fresh) => note(projects, fresh, state.takenAt));
    return projects;
  }
}

/** Adds the results of a journal entry taken at `takenAt`, Unix ms. */
function note(projects: Map<string, Latest>, fresh: FreshResult[], takenAt: number): void {
  for (const { config, result } of fresh) {
    if (result.outcome === 'missed' || config.type === 'HEARTBEAT') continue;
    // A result dated ahead counts as of its entry.
    const at = Math.min(result.started_at, takenAt);
    remember(projects, config.project_id, { monitor_id: config.monitor_id, at });
  }
}

function remember(projects: Map<string, Latest>, projectId: string, check: Latest[number]): void {
  let latest = projects.get(projectId);
  if (!latest) projects.set(projectId, (latest = []));
  const index = latest.findIndex(({ monitor_id: id }) => id === check.monitor_id);
  if (index !== -1) {
    if ((latest[index]?.at ?? 0) >= check.at) return;
    latest.splice(index, 1);
  }
  const place = latest.findIndex(({ at }) => at <= check.at);
  latest.splice(place === -1 ? latest.length : place, 0, check);
  if (latest.length > MAX_MONITORS) latest.pop();
}
