import type { Tenant } from '../access/tenant.ts';
import {
  groupEvent, monitorEvents, probeEvent, publisherOn, type ChangedMonitor, type ProbeStatusChange,
} from '../events/event.ts';
import { EventHub } from '../events/hub.ts';
import { eventRoutes } from '../events/routes.ts';
import type { Quota } from '../plans/quota.ts';
import type { Accounts } from './accounts.ts';
import type { Fleet } from './fleet.ts';
import type { ControllerPorts } from './ports.ts';

/** Limit of projects that receive the events of one shared probe. */
const MAX_PROJECTS = 1000;

interface ProbeSources {
  fleet: Fleet;
  accounts: Accounts;
}

export type Events = ReturnType<typeof openEvents>;

/** Live events: they are published on the bus and go from there to the clients of every controller. */
export function openEvents({ bus, clock, log, ownsShard, shardMap }: ControllerPorts) {
  const publisher = publisherOn(bus);
  const hub = new EventHub({ bus, clock });
  return {
    publisher, hub,
    routesOver: (quota: Quota) => eventRoutes({ hub, quota }),
    /** Publishes that monitors were written, once their owners know it. */
    publishMonitors: (monitors: readonly ChangedMonitor[]): void => {
      for (const event of monitorEvents(monitors, clock.now())) publisher.publish(event);
    },
    publishGroup: (project: Tenant, groupId: string, isDeleted: boolean): void =>
      publisher.publish(groupEvent(project, groupId, isDeleted, clock.now())),
    /** Publishes when probes come and go. */
    publishProbes: ({ fleet, accounts: { deps: { projects } } }: ProbeSources): void => {
      const publishChange = async (probeId: string, status: ProbeStatusChange['status']) => {
        const probe = fleet.directory.probe(probeId);
        const region = fleet.directory.region(probe?.region_id ?? '');
        if (!probe || !region) return;
        const { name } = probe;
        const { _id: region_id, organization_id: owner } = region;
        const change = { id: probeId, name, region_id, status, at: clock.now() };
        const found = owner === null ? projects.listFirst(MAX_PROJECTS) : projects.listOf([owner]);
        for (const project of await found) {
          const tenant = { organizationId: project.organization_id, projectId: project._id };
          publisher.publish(probeEvent(change, tenant));
        }
      };
      const onStatusChanged = (probeId: string, status: ProbeStatusChange['status']): void => {
        publishChange(probeId, status).catch((error: unknown) => {
          log.warn({ err: error, probe_id: probeId }, 'could not publish an event for a probe');
        });
      };
      // Every controller receives beats; the owner of the region's shard publishes.
      fleet.liveness.onChange(({ probeId, region, isLive }) => {
        if (ownsShard(shardMap.of(region))) onStatusChanged(probeId, isLive ? 'online' : 'offline');
      });
      // Every controller hears beats, but only one has decided this.
      fleet.quarantines.onChange(({ probe, isQuarantined }) => {
        onStatusChanged(probe._id, isQuarantined ? 'quarantined' : 'online');
      });
    },
  };
}
