import type { MonitorWriteDeps } from '../../monitors/deps.ts';
import type { MonitorDoc } from '../../monitors/monitor.ts';
import type { Settable } from '../../monitors/settable.ts';
import { CONCEALED } from '../../monitors/settings/sent-settings.ts';
import { byText } from '../match-by-name.ts';
import type { MonitorItem } from '../schema.ts';
import type { Matched } from '../section.ts';

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
 * has, or another item gets, is not granted.
 */
export async function grantTokens(
  monitors: TokenReader, matched: readonly Matched<MonitorItem, MonitorDoc>[],
): Promise<(string | null)[]> {
  const wanted = matched.map(({ item: { type, heartbeat_token: token = null } }) =>
    (type === 'HEARTBEAT' && token !== CONCEALED ? token : null));
  const owners = await ownersOf(monitors, [...new Set(wanted)].filter((token) => token !== null));
  // By their names, because the order in the document has no meaning.
  const items = matched.map(({ item }) => item);
  const granted = new Map<string, number>();
  for (const [place, token] of wanted.entries()) {
    const owner = owners.get(token ?? '');
    const isTaken = owner !== undefined && owner._id !== matched[place]?.current?._id;
    const other = granted.get(token ?? '');
    if (token === null || isTaken || (other !== undefined && byText(items)(other, place) <= 0)) continue;
    granted.set(token, place);
  }
  return wanted.map((token, place) => (granted.get(token ?? '') === place ? token : null));
}

/** The settings of a heartbeat with this token; null leaves them as they are. */
export function withToken(settings: Settable, token: string | null): Settable {
  if (token === null || settings.heartbeat === null) return settings;
  return { ...settings, target: token, heartbeat: { ...settings.heartbeat, token } };
}
