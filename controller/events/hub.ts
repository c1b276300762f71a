import { liveEventMessage } from '../../shared/contracts/live-event.ts';
import { subjects } from '../../shared/contracts/subjects.ts';
import { newId } from '../../shared/ids.ts';
import type { Clock, Timer } from '../../shared/time.ts';
import type { Bus, BusMessage, BusSubscription } from '../platform/bus/bus-port.ts';
import { Channel } from './channel.ts';
import type { LiveEvent } from './event.ts';
import { resultEvent } from './event-views.ts';
import type { EventSink, Project } from './ports.ts';

/** A sign of life, so that nobody in between takes a quiet stream for a dead one. */
export const KEEP_ALIVE_MS = 15_000;
/** Results of a project are taken for so long after its last client has gone, since that one may come back. */
export const LINGER_MS = 60_000;
/** Projects whose latest events are kept; beyond that those of the project without clients that was quiet longest are forgotten. */
const MOST_CHANNELS = 1000;
const MOST_STREAMS = 500;
const MOST_OF_A_USER = 20;

export interface HubDeps {
  bus: Bus;
  clock: Clock;
}

/** Why a client is not taken. */
export type HubRefusal = 'user_full' | 'full';

/**
 * Brings what is published on the bus to the clients of this controller. Every controller hears all events of state; the
 * results of a project only while somebody here watches it, since there are so many more of them.
 */
export class EventHub {
  readonly #deps: HubDeps;
  /** In order of their latest use. */
  readonly #channels = new Map<string, Channel>();
  readonly #streams = new Map<EventSink, string>();
  readonly #perUser = new Map<string, number>();
  #events: BusSubscription | null = null;
  #timer: Timer | null = null;
  #isStopped = false;
  /** Messages on `events.…` and `raw.…` that could not be read. */
  refused = 0;

  constructor(deps: HubDeps) {
    this.#deps = deps;
  }

  get streams(): number {
    return this.#streams.size;
  }

  start(): void {
    const { bus, clock } = this.#deps;
    this.#events = bus.subscribe(subjects.eventsOfAll, (message) => this.#takeEvent(message));
    // Nobody knows what was said meanwhile.
    bus.onReconnect(() => {
      for (const channel of this.#channels.values()) channel.reset();
    });
    this.#timer = clock.setRepeating(KEEP_ALIVE_MS, () => {
      for (const sink of this.#streams.keys()) sink.send(': keep-alive\n\n');
    });
  }

  /** Ends every stream, so that their clients turn to another controller. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    for (const sink of this.#streams.keys()) sink.finish();
    for (const channel of this.#channels.values()) channel.stop();
    this.#channels.clear();
    await this.#events?.stop();
  }

  /** Brings the project's events to a client, first what came after `lastEventId`; null when it is taken. */
  connect(project: Project, user: string, sink: EventSink, lastEventId: string | null): HubRefusal | null {
    const ofUser = this.#perUser.get(user) ?? 0;
    if (ofUser >= MOST_OF_A_USER) return 'user_full';
    if (this.#isStopped || this.#streams.size >= MOST_STREAMS) return 'full';
    this.#streams.set(sink, user);
    this.#perUser.set(user, ofUser + 1);
    const channel = this.#channelOf(project.organizationId, project.projectId);
    sink.onGone(() => {
      channel.leave(sink);
      this.#forget(sink, user);
    });
    channel.join(sink, lastEventId);
    return null;
  }

  #forget(sink: EventSink, user: string): void {
    this.#streams.delete(sink);
    const left = (this.#perUser.get(user) ?? 1) - 1;
    if (left > 0) this.#perUser.set(user, left);
    else this.#perUser.delete(user);
  }

  #channelOf(organizationId: string, projectId: string): Channel {
    const key = `${organizationId}.${projectId}`;
    const known = this.#channels.get(key);
    const { bus, clock } = this.#deps;
    const channel = known ?? new Channel({
      newPlace: () => newId(clock.now()), clock, lingerMs: LINGER_MS,
      watchResults: () => bus.subscribe(subjects.rawOfProject(organizationId, projectId), (message) => this.#takeResult(message)),
    });
    this.#channels.delete(key);
    this.#channels.set(key, channel);
    if (!known && this.#channels.size > MOST_CHANNELS) this.#evict();
    return channel;
  }

  /** There are more channels than streams, so one without clients comes before the newest, whose client is about to join. */
  #evict(): void {
    for (const [key, channel] of this.#channels) {
      if (channel.hasClients) continue;
      channel.stop();
      this.#channels.delete(key);
      return;
    }
  }

  #takeEvent(message: BusMessage): void {
    const parsed = liveEventMessage.safeParse(parseJson(message.data));
    if (parsed.success && message.subject === subjects.events(parsed.data.organization_id, parsed.data.project_id, parsed.data.kind)) this.#tell(parsed.data);
    else this.refused += 1;
  }

  #takeResult(message: BusMessage): void {
    const event = resultEvent(parseJson(message.data));
    if (event && message.subject.startsWith(`raw.${event.organization_id}.${event.project_id}.`)) this.#tell(event);
    else this.refused += 1;
  }

  #tell(event: LiveEvent): void {
    const text = `id: ${event.id}\nevent: ${event.kind}\ndata: ${JSON.stringify(event.data)}\n\n`;
    this.#channelOf(event.organization_id, event.project_id).tell(event.id, text);
  }
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return undefined;
  }
}
