export interface Project {
  organizationId: string;
  projectId: string;
}

/** One client's open answer. */
export interface EventSink {
  /** False when nothing can be sent any more. */
  send(text: string): boolean;
  /** Ends it in good order. */
  finish(): void;
  /** Calls `listener` once, when nothing can be sent any more. */
  onGone(listener: () => void): void;
}
