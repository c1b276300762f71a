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

/** The settings of a heartbeat with this token; null leaves them as they are. */
export function withToken(settings: Settable, token: string | null): Settable {
  if (token === null || settings.heartbeat === null) return settings;
  return { ...settings, target: token, heartbeat: { ...settings.heartbeat, token } };
}
