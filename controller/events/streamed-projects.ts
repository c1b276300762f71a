import { z } from 'zod';
import { decodeJson } from '../../shared/contracts/decode-json.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import type { Clock } from '../../shared/time.ts';
import { newId } from '../../shared/ids.ts';
import type { Bus, BusSubscription } from '../platform/bus/bus-port.ts';

/** A controller that stops announcing is forgotten after this time. */
export const FORGET_AFTER_MS = 60_000;
const MAX_CONTROLLERS = 100;
const MAX_PROJECTS = 1000;

const announcement = z.object({
  v: z.literal(1), from: z.string().max(64), projects: z.array(z.string().max(128)).max(MAX_PROJECTS),
});

interface StreamedProjectsDeps {
  bus: Bus;
  clock: Clock;
  /** The projects that clients of this controller watch, each as `<organization>.<project>`. */
  own: { has(project: string): boolean; list(): string[] };
}

/**
 * The projects watched live at any controller. Results of all others need not be published for live streams.
 * Controllers announce changes at once and repeat them every 15 s.
 */
export class StreamedProjects {
  readonly #deps: StreamedProjectsDeps;
  readonly #name: string;
  /** Least recently announced first, by controller. */
  readonly #others = new Map<string, { projects: Set<string>; at: number }>();
  #subscriptions: BusSubscription[] = [];
  #hasAnnounced = false;

  constructor(deps: StreamedProjectsDeps) {
    this.#deps = deps;
    this.#name = newId(deps.clock.now());
  }

  start(): void {
    const { bus } = this.#deps;
    this.#subscriptions = [
      bus.subscribe(subjects.liveProjects, ({ data }) => this.#take(data)),
      bus.subscribe(subjects.liveQuery, () => this.announce()),
    ];
    const requestAnnouncements = (): void => bus.publish(subjects.liveQuery, '');
    bus.onReconnect(requestAnnouncements);
    requestAnnouncements();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#subscriptions.map((each) => each.stop()));
  }

  has(organizationId: string, projectId: string): boolean {
    const project = `${organizationId}.${projectId}`;
    if (this.#deps.own.has(project)) return true;
    const now = this.#deps.clock.now();
    for (const { projects, at } of this.#others.values()) {
      if (now - at <= FORGET_AFTER_MS && projects.has(project)) return true;
    }
    return false;
  }

  /** Announces the watched projects to the other controllers; announces an empty list only once. */
  announce(): void {
    const projects = this.#deps.own.list();
    if (projects.length === 0 && !this.#hasAnnounced) return;
    this.#hasAnnounced = projects.length > 0;
    const message = { v: 1, from: this.#name, projects } satisfies z.infer<typeof announcement>;
    this.#deps.bus.publish(subjects.liveProjects, JSON.stringify(message));
  }

  #take(data: Uint8Array): void {
    const received = decodeJson(announcement, data);
    if (received === null || received.from === this.#name) return;
    this.#others.delete(received.from);
    if (received.projects.length === 0) return;
    this.#others.set(received.from, { projects: new Set(received.projects), at: this.#deps.clock.now() });
    const [oldest] = this.#others.keys();
    if (this.#others.size > MAX_CONTROLLERS && oldest !== undefined) this.#others.delete(oldest);
  }
}
