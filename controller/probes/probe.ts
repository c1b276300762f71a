/** What a probe can be quarantined for. `doubled`: two processes share its identity. */
export type ProbeProblemKind = 'doubled' | 'clock' | 'late' | 'missed' | 'lost' | 'disagrees';

/** What is wrong with a probe now; `reason` is for its operator. */
export interface ProbeProblem {
  problem: ProbeProblemKind;
  reason: string;
}

/** Stored with the probe while it is quarantined. Instants are Unix ms. */
export interface Quarantine extends ProbeProblem {
  since: number;
  /** When something was last found wrong. */
  bad_at: number;
  /** How long nothing may be found wrong before it ends, ms. */
  clean_ms: number;
}

/** Stored after a quarantine: a relapse takes longer to end. */
export interface PreviousQuarantine {
  ended_at: number;
  clean_ms: number;
}

/** A document of `regions`. */
export interface RegionDoc {
  /** Slug, unique in the installation. */
  _id: string;
  name: string;
  city: string;
  /** ISO 3166 country code or name; empty when unknown. */
  country: string;
  lat: number | null;
  lon: number | null;
  visibility: 'shared' | 'private';
  /** Owner of a private region; null for a shared one. */
  organization_id: string | null;
  created_at: number;
  /** Above 0 while monitors of the region may have no probe: how often that was noted. */
  to_place: number;
  /** Of the specs that its assignments were last made with; absent before the first. */
  spec_version?: number;
}

/** A document of `probes`. Instants are Unix ms. */
export interface ProbeDoc {
  _id: string;
  region_id: string;
  /** As the region's. */
  organization_id: string | null;
  name: string;
  created_at: number;
  /** SHA-256 of the enrolment token while it is unused. */
  token_hash?: string;
  token_expires_at?: number;
  /** SHA-256 of the token that the present identity enrolled by. */
  used_token_hash?: string;
  /** NATS user nkey (U…); absent until enrolled. */
  public_key?: string;
  /** Curve key (X…) that assignments are sealed to. */
  box_key?: string;
  /** Set while the probe's keys are being replaced: since when. */
  rotation_asked_at?: number | null;
  /** What it has offered meanwhile: NATS accepts both, until the probe uses these. */
  next_public_key?: string;
  next_box_key?: string;
  /** Since when its keys are the present ones; before a first rotation, since it enrolled. */
  keys_changed_at?: number | null;
  enrolled_at: number | null;
  version: string | null;
  capabilities: string[];
  /** Who hosts it, and the number of its network: probes that share one fail together. Earlier ones: none. */
  provider?: string | null;
  asn?: number | null;
  /** Where its checks come from: addresses and ranges; at first the one that it enrolled from. */
  addresses?: string[];
  is_draining: boolean;
  /** While what it reports decides nothing. Probes of earlier versions have neither. */
  quarantine?: Quarantine | null;
  quarantined_before?: PreviousQuarantine;
  /** Since when it was silent, or quarantined, as its operator was last told; null once its end was told. */
  notified_offline?: number | null;
  notified_quarantine?: number | null;
  /** Set when it was deleted and its monitors still have to move. */
  removed_at: number | null;
  /** As the controllers last saw it, so that a restarted one need not take every probe for dead. */
  is_online: boolean;
  last_beat_at: number | null;
}

export type EnrolledProbe = ProbeDoc & { public_key: string; box_key: string };

export function isEnrolled(probe: ProbeDoc): probe is EnrolledProbe {
  return probe.public_key !== undefined && probe.box_key !== undefined && probe.removed_at === null;
}
