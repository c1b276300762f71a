import { z } from 'zod';

export const EVENT_KINDS = [
  'result', 'monitor.state', 'monitor.region', 'monitor.changed', 'monitor.deleted', 'group.changed',
  'group.deleted', 'incident', 'probe',
] as const;

/** A change in a project, published on `events.<organization>.<project>.<kind>`; results are on `raw.…`. */
export const liveEventMessage = z.object({
  v: z.literal(1),
  /** Identical for repeats of the same event. */
  id: z.string().min(1).max(64),
  kind: z.enum(EVENT_KINDS),
  organization_id: z.string(),
  project_id: z.string(),
  /** Unix ms. */
  at: z.number(),
  data: z.record(z.string(), z.unknown()),
});
export type LiveEventMessage = z.infer<typeof liveEventMessage>;
