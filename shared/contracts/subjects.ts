import { shardName } from '../ids.ts';

/** Every NATS subject is built and parsed in this file. */
export const subjects = {
  /** Probe → shard owner; the response carries the watermark. */
  results: (shard: number, region: string, probeId: string) =>
    `results.${shardName(shard)}.${region}.${probeId}`,
  /** Subscribed by the owner of a shard. */
  resultsOfShard: (shard: number) => `results.${shardName(shard)}.*.*`,
  /** Probe → any controller: requests changes since a revision. */
  sync: (region: string, probeId: string) => `sync.${region}.${probeId}`,
  syncOfAll: 'sync.*.*',
  /** Controller → probe: one signed change. */
  assign: (region: string, probeId: string) => `assign.${region}.${probeId}`,
  /** Controller → probe: an immediate check. */
  run: (region: string, probeId: string) => `run.${region}.${probeId}`,
  /** Probe → controllers, every 5 s. */
  beat: (region: string, probeId: string) => `beat.${region}.${probeId}`,
  beatOfAll: 'beat.*.*',
  /** Probe → any controller: what a failed check saw. No response. */
  evidence: (region: string, probeId: string) => `evidence.${region}.${probeId}`,
  evidenceOfAll: 'evidence.*.*',
  /** Controller → shard owner: requests state that isn't written yet. */
  query: (shard: number, what: string) => `ask.${shardName(shard)}.${what}`,
  queryOfShard: (shard: number) => `ask.${shardName(shard)}.*`,
  /** Controller → shard owner: scan for pending changes. */
  notify: (shard: number) => `poke.${shardName(shard)}`,
  /** Controller → controllers: reload the identities allowed to connect. */
  notifyIdentities: 'poke.identities',
  /** Controller → controllers: reload the subscriptions. */
  notifySubscriptions: 'poke.subscriptions',
  /** Controller → controllers: sessions of a user have ended. */
  notifySessions: 'poke.sessions',
  /**
   * Controller → controllers: the projects whose live results its clients watch. `liveQuery` requests them.
   */
  liveProjects: 'live.projects',
  liveQuery: 'live.ask',
  /** Controller → dashboards and external subscribers. */
  events: (organizationId: string, projectId: string, kind: string) =>
    `events.${organizationId}.${projectId}.${kind}`,
  eventsOfOrganization: (organizationId: string) => `events.${organizationId}.>`,
  eventsOfAll: 'events.>',
  /** Controller → external subscribers, retained by the stream RAW. */
  raw: (organizationId: string, projectId: string, monitorId: string, region: string) =>
    `raw.${organizationId}.${projectId}.${monitorId}.${region}`,
  rawOfProject: (organizationId: string, projectId: string) => `raw.${organizationId}.${projectId}.>`,
  rawOfOrganization: (organizationId: string) => `raw.${organizationId}.>`,
  rawOfAll: 'raw.>',
  rawMark: 'raw.mark',
} as const;

/** The stream that retains `raw.>` for external subscribers. */
export const RAW_STREAM = 'RAW';

/** The JetStream domain through which account SUBSCRIBERS reaches the consumers of `RAW_STREAM`. */
export const RAW_DOMAIN = 'FARWATCH';

/** The pull consumer of a subscription. */
export function rawConsumer(subscriptionId: string): string {
  return `subscriber-${subscriptionId}`;
}

export interface ProbeAddress {
  region: string;
  probeId: string;
}

/**
 * Region and probe of a subject `results.*`, `sync.*`, `assign.*`, `run.*`, `beat.*` or `evidence.*`; null
 * for others. NATS authorizes the subject per probe, so the subject, not the body, identifies the sender.
 */
export function probeOfSubject(subject: string): ProbeAddress | null {
  const tokens = subject.split('.');
  const [region, probeId] = tokens[0] === 'results' ? [tokens[2], tokens[3]] : [tokens[1], tokens[2]];
  const length = tokens[0] === 'results' ? 4 : 3;
  if (!/^(results|sync|assign|run|beat|evidence)$/.test(tokens[0] as string)) return null;
  return region && probeId && tokens.length === length ? { region, probeId } : null;
}

/** Shard of a subject `results.<shard>…`, `ask.<shard>…` or `poke.<shard>`; null for others. */
export function shardOfSubject(subject: string): number | null {
  const match = /^(?:results|ask|poke)\.(\d\d|[12]\d\d)(?:\.|$)/.exec(subject);
  return match ? Number(match[1]) : null;
}
