import { shardOf } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { ProjectStore } from '../accounts/projects/store.ts';
import { probeEvent, stateEvent } from '../events/views.ts';
import { BusEventPublisher, type EventPublisher } from '../events/event.ts';
import { EventHub } from '../events/hub.ts';
import { eventRoutes } from '../events/routes.ts';
import type { Route } from '../http/route.ts';
import type { Bus } from '../platform/bus/bus-port.ts';
import type { StatusHistory } from '../results/writing/outbox.ts';
import type { Fleet } from './fleet.ts';

/** Projects that are told of one change of a probe. */
const MOST_PROJECTS = 1000;

export interface ProbeSource {
  fleet: Pick<Fleet, 'directory' | 'liveness'>;
  projects: Pick<ProjectStore, 'listOf' | 'some'>;
  /** Every controller hears every probe; the one that owns the region's shard tells. */
  ownsShard(shard: number): boolean;
}

export interface Events {
  publisher: EventPublisher;
  hub: EventHub;
  routes: Route[];
  /** The history, telling live what it is told. */
  telling(history: StatusHistory): StatusHistory;
  /** Tells of probes that come and go. */
  watchProbes(source: ProbeSource): void;
}

/** Live events, put together: what is told goes over the bus, and from there to the clients of every controller. */
export function openEvents(options: { bus: Bus; clock: Clock; log: Log }): Events {
  const { bus, clock, log } = options;
  const publisher = new BusEventPublisher(bus);
  const hub = new EventHub({ bus, clock });
  return {
    publisher, hub,
    routes: eventRoutes({ hub }),
    telling: (history) => ({
      add: async (change) => {
        await history.add(change);
        publisher.publish(stateEvent(change));
      },
    }),
    watchProbes: ({ fleet, projects, ownsShard }) => {
      fleet.liveness.onChange(({ probeId, region: regionId, isLive }) => {
        const probe = fleet.directory.probe(probeId);
        const region = fleet.directory.region(regionId);
        if (!probe || !region || !ownsShard(shardOf(regionId))) return;
        const seen = { id: probeId, name: probe.name, region_id: regionId, isOnline: isLive, at: clock.now() };
        const told = region.organization_id === null ? projects.some(MOST_PROJECTS) : projects.listOf([region.organization_id]);
        told
          .then((all) => all.forEach(({ _id, organization_id }) => publisher.publish(probeEvent(seen, { organizationId: organization_id, projectId: _id }))))
          .catch((error: unknown) => log.warn({ err: error, probe_id: probeId }, 'nobody was told of a probe'));
      });
    },
  };
}
