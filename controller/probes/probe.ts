/** Reasons for a quarantine. `doubled`: two processes share the probe's identity. */
export type ProbeProblemKind = 'doubled' | 'clock' | 'late' | 'missed' | 'lost' | 'disagrees';

/** A current problem of a probe; `reason` is for its operator. */
export interface ProbeProblem {
  problem: ProbeProblemKind;
  reason: string;
}

/** Stored with the probe during its quarantine. Timestamps are Unix ms. */
export interface Quarantine extends ProbeProblem {
  since: number;
  /** When a problem was last found. */
  bad_at: number;
  /** How long no problem may be found before the quarantine ends, ms. */
  clean_ms: number;
}

/** Stored after a quarantine. A relapse takes longer to end. */
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
  /** ISO 3166 country code or name; empty if unknown. */
  country: string;
  lat: number | null;
  lon: number | null;
  visibility: 'shared' | 'private';
  /** Owner of a private region; null for a shared one. */
  organization_id: string | null;
  created_at: number;
  /** Incremented whenever monitors of the region may have no probe; 0 if none is to be placed. */
  to_place: number;
  /** Version of the specs in its latest assignments; absent before the first. */
  spec_version?: number;
}

/** A document of `probes`. Timestamps are Unix ms. */
export interface ProbeDoc {
  _id: string;
  region_id: string;
  /** The organization of its region. */
  organization_id: string | null;
  name: string;
  created_at: number;
  /** SHA-256 of the enrolment token until it is used. */
  token_hash?: string;
  token_expires_at?: number;
  /** SHA-256 of the token of the current enrolment. */
  used_token_hash?: string;
  /** The enrolment key that created it; absent for others. */
  enrolment_key_id?: string;
  /** Whether it is deleted when it stops or stays silent; absent for false. */
  is_ephemeral?: boolean;
  /** NATS user nkey (U…); absent until the probe enrols. */
  public_key?: string;
  /** Curve key (X…) that assignments are sealed to. */
  box_key?: string;
  /** When the rotation of the probe's keys was requested; null if none is in progress. */
  rotation_asked_at: number | null;
  /** Keys offered in a rotation. NATS accepts both until the probe uses these. */
  next_public_key?: string;
  next_box_key?: string;
  /** When the current keys came into use; before the first rotation, when the probe enrolled. */
  keys_changed_at: number | null;
  enrolled_at: number | null;
  version: string | null;
  capabilities: string[];
  /** Hosting provider and network number. Probes that share a network fail together. */
  provider: string | null;
  asn: number | null;
  /** Addresses and ranges that its checks come from; at first the one it enrolled from. */
  addresses: string[];
  is_draining: boolean;
  /** Set while its reports have no effect on verdicts. */
  quarantine: Quarantine | null;
  quarantined_before?: PreviousQuarantine;
  /** When the silence or quarantine in the last notice began; null once its end was reported. */
  notified_offline: number | null;
  notified_quarantine: number | null;
  /** Set once the probe is deleted, until its monitors have moved. */
  removed_at: number | null;
  /** As the controllers last saw it, so that a restarted controller need not consider every probe dead. */
  is_online: boolean;
  last_beat_at: number | null;
}

export type EnrolledProbe = ProbeDoc & { public_key: string; box_key: string };

export function isEnrolled(probe: ProbeDoc): probe is EnrolledProbe {
  return probe.public_key !== undefined && probe.box_key !== undefined && probe.removed_at === null;
}
