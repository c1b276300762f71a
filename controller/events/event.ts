import type { EVENT_KINDS } from '../../shared/contracts/live-event.ts';

/** What a live event is about. */
export type EventKind = (typeof EVENT_KINDS)[number];

/** Something that has just become true in a project; goes to `events.<org>.<project>.<kind>` and to `/api/events`. */
export interface LiveEvent {
  /** The same for a repetition of the same event. */
  id: string;
  kind: EventKind;
  organization_id: string;
  project_id: string;
  /** Unix ms. */
  at: number;
  /** JSON, as the API shows the resource; no secrets. */
  data: Record<string, unknown>;
}

/** Tells whoever is listening now; nothing waits for it and nothing is kept for those who are not. */
export interface EventPublisher {
  publish(event: LiveEvent): void;
}
