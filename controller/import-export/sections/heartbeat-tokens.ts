import type { Tenant } from '../../access/tenant.ts';
import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import type { MonitorDoc } from '../../monitors/monitor.ts';
import type { Settable } from '../../monitors/settable.ts';
import { CONCEALED } from '../../monitors/settings/sent-settings.ts';
import { byText } from '../match-by-name.ts';
import type { MonitorItem } from '../schema.ts';
import type { Matched, Rest } from '../section.ts';

type Store = MonitorWriteDeps['monitors'];
type MatchedMonitor = Matched<MonitorItem, MonitorDoc>;

const BATCH_SIZE = 500;

/** By token: the monitor that has it, of any tenant. */
export async function ownersOf(monitors: Pick<Store, 'findByHeartbeatTokens'>, tokens: readonly string[]) {
  const owners = new Map<string, Pick<MonitorDoc, '_id' | 'project_id' | 'name'>>();
  for (let at = 0; at < tokens.length; at += BATCH_SIZE) {
    for (const owner of await monitors.findByHeartbeatTokens(tokens.slice(at, at + BATCH_SIZE))) {
      owners.set(owner.target, owner);
    }
  }
  return owners;
}

/** By item: the token that its monitor gets, null for its current or a new one. */
export async function grantTokens(
  monitors: Pick<Store, 'findByHeartbeatTokens'>, matched: readonly MatchedMonitor[], rest: Rest<MonitorDoc>,
): Promise<(string | null)[]> {
  const wanted = matched.map(({ item: { type, heartbeat_token: token = null } }) =>
    (type === 'HEARTBEAT' && token !== CONCEALED ? token : null));
  const owners = await ownersOf(monitors, [...new Set(wanted)].filter((token) => token !== null));
  return granted(wanted, new Map([...owners].map(([token, { _id }]) => [token, _id])), matched, rest);
}

/** By item: the slug that its monitor gets, null for its current or a new one. */
export async function grantSlugs(
  monitors: Pick<Store, 'findBySlugs'>, tenant: Tenant, matched: readonly MatchedMonitor[],
  rest: Rest<MonitorDoc>,
): Promise<(string | null)[]> {
  const wanted = matched.map(({ item: { slug = null } }) => slug);
  const slugs = [...new Set(wanted)].filter((slug) => slug !== null);
  const holders = new Map<string, string>();
  for (let at = 0; at < slugs.length; at += BATCH_SIZE) {
    const found = await monitors.findBySlugs(tenant, slugs.slice(at, at + BATCH_SIZE));
    for (const { _id, heartbeat } of found) holders.set(heartbeat?.slug ?? '', _id);
  }
  return granted(wanted, holders, matched, rest);
}

/**
 * Null for what another monitor has or another item gets: the first by name, because the order in the
 * document has no meaning. `holders` are ids of existing monitors.
 */
function granted(
  wanted: readonly (string | null)[], holders: ReadonlyMap<string, string>,
  matched: readonly MatchedMonitor[], { removed }: Rest<MonitorDoc>,
): (string | null)[] {
  const removedIds = new Set(removed.map(({ _id }) => _id));
  const compare = byText(matched.map(({ item }) => item));
  const places = new Map<string, number>();
  for (const [place, value] of wanted.entries()) {
    const holder = holders.get(value ?? '');
    const isHeld = holder !== undefined && holder !== matched[place]?.current?._id && !removedIds.has(holder);
    const other = places.get(value ?? '');
    if (value === null || isHeld || (other !== undefined && compare(other, place) <= 0)) continue;
    places.set(value, place);
  }
  return wanted.map((value, place) => (places.get(value ?? '') === place ? value : null));
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
