import { z } from 'zod';
import { decodeJson } from '../../shared/contracts/bytes.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { newId } from '../../shared/ids.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Tenant } from '../access/tenant.ts';
import type { Bus, BusSubscription } from '../platform/bus/bus-port.ts';
import { Channel, type EventSink } from './channel.ts';
import { type LiveEvent, liveEventMessage, resultEvent } from './event.ts';

/** Interval of keep-alive comments, so that proxies don't close idle streams. */
export const KEEP_ALIVE_MS = 15_000;
/** Projects with a channel. Above that, drops the least recently used one without clients. */
const MAX_CHANNELS = 1000;
const MAX_STREAMS = 500;
const MAX_STREAMS_PER_USER = 20;

interface StreamOwner {
  user: string;
  organizationId: string;
}

/**
 * Forwards events from the bus to this controller's clients. Receives a project's results, which far
 * outnumber other events, only while a client watches the project.
 */
export class EventHub {
  readonly #deps: { bus: Bus; clock: Clock };
  /** Projects whose results this and other controllers want published. */
  readonly streamedProjects: StreamedProjects;
  /** Least recently used first. */
  readonly #channels = new Map<string, Channel>();
  readonly #streams = new Map<EventSink, StreamOwner>();
  #events: BusSubscription | null = null;
  #timer: Timer | null = null;
  #isStopped = false;
  /** Malformed messages on `events.…` and `raw.…`. */
  refused = 0;

  constructor(deps: { bus: Bus; clock: Clock }) {
    this.#deps = deps;
    const isStreamed = (project: string) => this.#channels.get(project)?.receivesResults === true;
    const own = { has: isStreamed, list: () => [...this.#channels.keys()].filter(isStreamed) };
    this.streamedProjects = new StreamedProjects({ ...deps, own });
  }

  get streams(): number {
    return this.#streams.size;
  }

  streamsOf(organizationId: string): number {
    return this.#count((other) => other.organizationId === organizationId);
  }

  start(): void {
    const { bus, clock } = this.#deps;
    this.#events = bus.subscribe(subjects.eventsOfAll, ({ subject, data }) => {
      const event = decodeJson(liveEventMessage, data);
      const expected = event && subjects.events(event.organization_id, event.project_id, event.kind);
      this.#take(event, subject === expected);
    });
    // Events may have been missed while disconnected.
    bus.onReconnect(() => {
      for (const channel of this.#channels.values()) channel.reset();
      this.streamedProjects.announce();
    });
    this.streamedProjects.start();
    this.#timer = clock.setRepeating(KEEP_ALIVE_MS, () => {
      this.streamedProjects.announce();
      for (const stream of this.#streams.keys()) stream.send(': keep-alive\n\n');
    });
  }

  /** Ends every stream, so that clients reconnect to another controller. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    for (const stream of this.#streams.keys()) stream.finish();
    for (const channel of this.#channels.values()) channel.stop();
    this.#channels.clear();
    this.streamedProjects.announce();
    await Promise.all([this.#events?.stop(), this.streamedProjects.stop()]);
  }

  /**
   * Sends the project's events to a client, including those after `lastEventId`. `maxStreams` limits the
   * organization's streams. Returns the exceeded limit, or null.
   */
  connect(
    { organizationId, projectId }: Tenant, { user, maxStreams }: { user: string; maxStreams: number },
    stream: EventSink, lastEventId: string | null,
  ): 'user_full' | 'organization_full' | 'full' | null {
    if (this.#count((other) => other.user === user) >= MAX_STREAMS_PER_USER) return 'user_full';
    if (this.streamsOf(organizationId) >= maxStreams) return 'organization_full';
    if (this.#isStopped || this.#streams.size >= MAX_STREAMS) return 'full';
    this.#streams.set(stream, { user, organizationId });
    const channel = this.#channelOf(organizationId, projectId);
    stream.onClose(() => {
      channel.leave(stream);
      this.#streams.delete(stream);
    });
    const wasReceivingResults = channel.receivesResults;
    channel.join(stream, lastEventId);
    // Announced after subscribing, so that nothing published in response is missed.
    if (!wasReceivingResults) this.streamedProjects.announce();
    return null;
  }

  #count(isCounted: (listener: StreamOwner) => boolean): number {
    return [...this.#streams.values()].filter(isCounted).length;
  }

  #channelOf(organizationId: string, projectId: string): Channel {
    const key = `${organizationId}.${projectId}`;
    const existing = this.#channels.get(key);
    const channel = existing ?? new Channel(
      this.#deps.clock, () => this.#subscribeToResults(subjects.rawOfProject(organizationId, projectId)),
    );
    this.#channels.delete(key);
    this.#channels.set(key, channel);
    if (!existing && this.#channels.size > MAX_CHANNELS) this.#evict();
    return channel;
  }

  #subscribeToResults(results: string): BusSubscription {
    return this.#deps.bus.subscribe(results, ({ subject, data }) => {
      const event = resultEvent(data);
      this.#take(event, subject.startsWith(`raw.${event?.organization_id}.${event?.project_id}.`));
    });
  }

  /** There are fewer streams than channels, so an older channel always has no clients. */
  #evict(): void {
    for (const [key, channel] of this.#channels) {
      if (channel.hasClients) continue;
      channel.stop();
      this.#channels.delete(key);
      return;
    }
  }

  #take(event: LiveEvent | null, hasOwnSubject: boolean): void {
    if (event === null || !hasOwnSubject) {
      this.refused += 1;
      return;
    }
    const { id, kind, organization_id, project_id, data } = event;
    const text = `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
    this.#channelOf(organization_id, project_id).publish(id, text);
  }
}

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
