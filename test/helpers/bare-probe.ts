import type { ProbeDoc } from '../../controller/probes/probe.ts';

/** Default fields of an enrolled probe's document. */
export const BARE_PROBE = {
  provider: null, asn: null, addresses: [] as string[], quarantine: null, rotation_asked_at: null, keys_changed_at: null,
  notified_offline: null, notified_quarantine: null, enrolled_at: 1, version: null, capabilities: [] as string[],
  is_draining: false, removed_at: null, is_online: false, last_beat_at: null,
} satisfies Partial<ProbeDoc>;
