import type { Random } from '../simulation/random.ts';

export interface PoolEntry {
  id: string;
  /** The path parameters with which the id was found: its parents. */
  parents: Record<string, string>;
}

const MAX_ENTRIES = 400;

/** The resource that each field names. */
const FIELD_KIND: Record<string, string> = {
  check_id: 'monitors', monitor_id: 'monitors', affected_monitor_ids: 'monitors', monitor_ids: 'monitors',
  group_id: 'groups', target_group_id: 'groups', parent_group_id: 'groups',
  notification_target_ids: 'integrations', depends_on: 'monitors', assignee_id: 'members', user_id: 'members', userId: 'members',
  region_id: 'regions', monitoring_regions: 'regions', region: 'regions', subscriber_ids: 'subscribers',
  projectId: 'projects', project_id: 'projects',
};

/** Ids from responses, by resource. */
export class Pool {
  readonly #entries = new Map<string, PoolEntry[]>();
  readonly #excluded = new Set<string>();

  /** Excludes an id that the run itself depends on. */
  protect(id: string): void {
    this.#excluded.add(id);
  }

  add(kind: string, id: string, parents: Record<string, string> = {}): void {
    if (this.#excluded.has(id)) return;
    const list = this.#entries.get(kind) ?? [];
    if (list.some((one) => one.id === id)) return;
    list.push({ id, parents });
    if (list.length > MAX_ENTRIES) list.shift();
    this.#entries.set(kind, list);
  }

  remove(kind: string, id: string): void {
    const list = this.#entries.get(kind) ?? [];
    this.#entries.set(kind, list.filter((one) => one.id !== id));
  }

  /** Usually picks a recent id, because older ones are often deleted. */
  pick(kind: string, random: Random): PoolEntry | null {
    const list = this.#entries.get(kind) ?? [];
    if (list.length === 0) return null;
    return random.pick(random.chance(0.7) ? list.slice(-20) : list);
  }

  ids(kind: string): string[] {
    return (this.#entries.get(kind) ?? []).map((one) => one.id);
  }

  /** Collects every id in a response's `data`. */
  learn(path: string, params: Record<string, string>, data: unknown): void {
    this.#learn(lastNoun(path), params, data, path.includes('/status-pages'));
  }

  #learn(kind: string, params: Record<string, string>, value: unknown, isPage: boolean): void {
    if (Array.isArray(value)) for (const item of value.slice(0, 20)) this.#learn(kind, params, item, isPage);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const fields = value as Record<string, unknown>;
    if (typeof fields['id'] === 'string') this.add(kind, fields['id'], params);
    if (typeof fields['user_id'] === 'string' && kind === 'members') {
      this.add('members', fields['user_id'], params);
    }
    if (typeof fields['heartbeat_token'] === 'string') this.add('heartbeat', fields['heartbeat_token']);
    for (const [name, inner] of Object.entries(fields)) {
      const named = isPage && /^incidents?$/.test(name) ? 'posts' : kindOfField(name);
      if (typeof inner === 'object') this.#learn(named ?? kind, params, inner, isPage);
    }
  }
}

/** The resource that a field refers to; null if none. */
export function kindOfField(name: string): string | null {
  if (FIELD_KIND[name] !== undefined) return FIELD_KIND[name];
  const nouns: Record<string, string> = {
    children: 'groups', path: 'groups', key: 'api-keys', keys: 'api-keys', status_page: 'status-pages',
    status_pages: 'status-pages', maintenance_window: 'maintenance-windows',
    maintenance_windows: 'maintenance-windows', 'maintenance-windows': 'maintenance-windows',
    enrolment_key: 'enrolment-keys', enrolment_keys: 'enrolment-keys', 'enrolment-keys': 'enrolment-keys',
    'api-keys': 'api-keys', 'status-pages': 'status-pages',
  };
  if (nouns[name] !== undefined) return nouns[name];
  return /^(monitor|group|incident|comment|integration|project|member|invitation|probe|region|subscriber|subscription|cause|variable)s?$/.test(name)
    ? name.replace(/s?$/, 's')
    : null;
}

/** The resource of a path's last parameter or segment: `monitors` for `/api/monitors/{id}/stats`. */
export function lastNoun(path: string): string {
  const nouns = path.split('/').filter((part, at, all) => part !== '' && !part.startsWith('{') &&
    (all[at + 1]?.startsWith('{') === true || at === all.length - 1));
  const withParameter = path.split('/').filter((_part, at, all) => all[at + 1]?.startsWith('{') === true);
  const last = nouns.at(-1) ?? '';
  // A page's incidents are resources of their own.
  if (path.includes('/status-pages/') && last === 'incidents') return 'posts';
  return kindOfField(last) === null && withParameter.length > 0 ? (withParameter.at(-1) as string) : last;
}
