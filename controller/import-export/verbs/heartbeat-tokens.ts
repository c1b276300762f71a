import type { Tenant } from '../../access/tenant.ts';
import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import type { MonitorDoc } from '../../monitors/monitor.ts';
import type { Settable } from '../../monitors/settable.ts';
import { CONCEALED } from '../../monitors/settings/sent-settings.ts';
import type { MonitorItem } from '../schema.ts';

type TokenReader = Pick<MonitorWriteDeps['monitors'], 'findByHeartbeatTokens'>;

const BATCH_SIZE = 500;

/** By token: the monitor that has it, of any tenant. */
export async function ownersOf(monitors: TokenReader, tokens: readonly string[]) {
  const owners = new Map<string, Pick<MonitorDoc, '_id' | 'project_id' | 'name'>>();
  for (let at = 0; at < tokens.length; at += BATCH_SIZE) {
    for (const owner of await monitors.findByHeartbeatTokens(tokens.slice(at, at + BATCH_SIZE))) {
      owners.set(owner.target, owner);
    }
  }
  return owners;
}

/**
 * By item: the token that its monitor gets, null for its current or a new one. A token that another monitor
 * has, or an earlier item gets, is not granted. `docs` are the existing monitors of the items.
 */
export async function grantTokens(
  monitors: TokenReader, items: readonly MonitorItem[],
  docs: readonly (MonitorDoc | null)[],
): Promise<(string | null)[]> {
  const wanted = items.map(({ type, heartbeat_token: token = null }) =>
    (type === 'HEARTBEAT' && token !== CONCEALED ? token : null));
  const owners = await ownersOf(monitors, [...new Set(wanted)].filter((token) => token !== null));
  const granted = new Set<string>();
  return wanted.map((token, at) => {
    if (token === null || granted.has(token)) return null;
    const owner = owners.get(token);
    if (owner !== undefined && owner._id !== docs[at]?._id) return null;
    granted.add(token);
    return token;
  });
}

/**
 * The items without the slugs that another monitor of the project has, or an earlier item gets. `docs` are
 * the existing monitors of the items.
 */
export async function withFreeSlugs(
  monitors: Pick<MonitorWriteDeps['monitors'], 'findBySlugs'>, tenant: Tenant, items: readonly MonitorItem[],
  docs: readonly (MonitorDoc | null)[],
): Promise<MonitorItem[]> {
  const wanted = [...new Set(items.map(({ slug }) => slug ?? null))].filter((slug) => slug !== null);
  const holders = new Map<string, string | null>();
  for (let at = 0; at < wanted.length; at += BATCH_SIZE) {
    const found = await monitors.findBySlugs(tenant, wanted.slice(at, at + BATCH_SIZE));
    for (const { _id, heartbeat } of found) holders.set(heartbeat?.slug ?? '', _id);
  }
  return items.map((item, at) => {
    const { slug = null, ...rest } = item;
    if (slug === null) return item;
    const isFree = !holders.has(slug) || holders.get(slug) === docs[at]?._id;
    holders.set(slug, null);
    return isFree ? item : rest;
  });
}

/** The settings of a heartbeat with this token; null leaves them as they are. */
export function withToken(settings: Settable, token: string | null): Settable {
  if (token === null || settings.heartbeat === null) return settings;
  return { ...settings, target: token, heartbeat: { ...settings.heartbeat, token } };
}

/** For a slug that was taken since the import was planned: the monitor gets another one. */
export function withoutSlug<T extends Pick<Settable, 'heartbeat'>>(settings: T): T {
  return { ...settings, heartbeat: settings.heartbeat && { ...settings.heartbeat, slug: null } };
}
