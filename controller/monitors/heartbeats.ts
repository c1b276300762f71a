import type { HeartbeatLookup } from '../heartbeats/ports.ts';
import type { MonitorStore } from './store.ts';

/** Heartbeat monitors by their tokens. */
export function heartbeatsOf(monitors: MonitorStore): HeartbeatLookup {
  return {
    byToken: async (token) => {
      const doc = await monitors.findByHeartbeatToken(token);
      return doc === null ? null : { id: doc._id, status: doc.status, revision: doc.revision };
    },
  };
}
