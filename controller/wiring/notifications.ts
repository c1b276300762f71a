import { subjects } from '../../shared/contracts/subjects.ts';
import { AcknowledgeTokens, RecipientTokens } from '../access/link-tokens.ts';
import { alertMailRoutes } from '../alert-mail/page-routes.ts';
import type { CauseDoc } from '../causes/cause.ts';
import { AlertRepeater } from '../delivery/alert-repeater.ts';
import { CLAIM_MS } from '../delivery/attempt-steps.ts';
import { fanOutEnd } from '../delivery/causes/fan-out-end.ts';
import { Placement } from '../delivery/causes/placement.ts';
import { FailingCount } from '../delivery/failing-count.ts';
import { FanOut } from '../delivery/fan-out.ts';
import { fanOutIncidentEvent } from '../delivery/incident-fan-out.ts';
import type { CauseReader, RegionNaming } from '../delivery/ports.ts';
import { previewMessages } from '../delivery/senders/preview.ts';
import { sendSample } from '../delivery/senders/sample.ts';
import { DeliveryService } from '../delivery/service.ts';
import { destinationRoutes } from '../destinations/routes.ts';
import type { DestinationDeps } from '../destinations/verbs.ts';
import { pathOf } from '../groups/tree-rules.ts';
import type { IncidentDoc } from '../incidents/incident.ts';
import type { Mailer } from '../platform/mail/mailer-port.ts';
import { createAddressVetting } from '../platform/outbound/address-vetting.ts';
import { HttpPoster } from '../platform/outbound/poster.ts';
import type { ProbeNotice } from '../probes/notice-rules.ts';
import { silenceLimitMs, Watchdog } from '../watchdog/watchdog.ts';
import { WorkClaims } from '../work/claimed-work.ts';
import type { Accounts } from './accounts.ts';
import type { ControllerPorts } from './ports.ts';

/** Attempts in progress at a stop get this long to end, ms. */
const STOP_TIMEOUT_MS = 3000;

interface NotificationSources {
  mailer: Mailer;
  regions: RegionNaming;
  accounts: Pick<Accounts, 'acknowledgeKeys' | 'linkKeys' | 'organizationName' | 'notifyOwners' | 'operatorOrganizations'>;
}

type NotificationPorts = Omit<ControllerPorts, 'timeZone' | 'signals'>;
export type Notifications = ReturnType<typeof openNotifications>;

/** Destinations, and the delivery of alerts to them. */
export function openNotifications(ports: NotificationPorts, sources: NotificationSources) {
  const { config, stores, shardMap, bus, clock, log, peers, holder, random, resolve, ownsShard } = ports;
  const { baseUrl } = ports;
  const { mailer, regions, accounts } = sources;
  const { incidents, destinations, testMails, suppressions, deliveries, deliveryQueues: queues } = stores;
  const { mailWindows: windows, digestClaims: digests, groups, monitors } = stores;
  const { causes, causeThreads: threads, features } = stores;
  const vetting = createAddressVetting({ resolve, allowPrivate: config.destinations.allowPrivate, clock });
  const poster = new HttpPoster({ clock, vetting });
  const recipientTokens = new RecipientTokens(accounts.linkKeys);
  const acknowledgeTokens = new AcknowledgeTokens(accounts.acknowledgeKeys);
  const sending = { poster, mailer, destinations, clock, baseUrl, recipientTokens, acknowledgeTokens };
  const nameOf: CauseReader['nameOf'] = async ({ kind, value }, tenant) => {
    if (kind === 'region') return regions.named([value])[0]?.name ?? value;
    if (kind === 'group') return (await groups.names(tenant, [value])).get(value) ?? value;
    const isMonitor = kind === 'dependency';
    return isMonitor ? (await monitors.summaries(tenant, [value])).get(value)?.name ?? value : value;
  };
  const placement =
    new Placement({ deliveries, threads, causes, incidents, monitors: features, clock });
  const service = new DeliveryService({
    attempt: {
      placement, threads, causes: { find: (id) => causes.find(id), nameOf },
      deliveries, digests, claims: new WorkClaims({ clock, holder, ttlMs: CLAIM_MS }), health: queues,
      destinations, incidents, queues, windows, suppressions, sending, clock, random,
      onFailing: ({ _id }, reason) => {
        log.warn({ destination_id: _id, reason }, 'a destination started failing');
        failing.triggerWithinInterval();
      },
    },
    notifyOwner: (shard) => bus.publish(subjects.notify(shard), ''),
    deliveries, queues, ownsShard, shardMap, clock, log, peers,
  });
  const failing = new FailingCount(() => {
    const shards = shardMap.all.filter(ownsShard);
    return shards.length === 0 ? Promise.resolve(0) : queues.countFailing(shards);
  }, clock, peers);
  const groupingOf = async (monitorId: string) => {
    const [monitor] = await monitors.findByIds([monitorId]);
    if (!monitor) return null;
    const { tags, group_id, organization_id: organizationId, project_id: projectId } = monitor;
    const edges = group_id ? await groups.edges({ organizationId, projectId }) : [];
    return { tags, groupIds: pathOf(edges, group_id ?? '').map(({ _id }) => _id) };
  };
  const underDiagnosis = new Map<string, number>();
  const alerts = new FanOut({
    destinations, deliveries, queues, windows, clock, regions, groupingOf, incidents, causes,
    notify: service.wakeOwners, underDiagnosis,
  });
  const repeater = new AlertRepeater({
    destinations, incidents, deliveries, sending, ownsShard, shardMap, clock, log,
  });
  const deps: DestinationDeps = {
    destinations, vetting, testMails, suppressions,
    targets: {
      groups: (tenant, ids) => groups.names(tenant, ids),
      monitors: (tenant, ids) => monitors.summaries(tenant, ids),
    },
    deliveries: {
      sendSample: (destination, stopped) => sendSample(sending, destination, stopped),
      preview: (settings) => previewMessages(settings, baseUrl(), clock.now()),
      health: (ids) => queues.health(ids),
      newest: (id, limit) => deliveries.ofDestination(id, limit),
      destinationChanged: (id) => queues.clearFailures(id),
      destinationDeleted: async (id) => {
        await queues.markDeleted(id, clock.now());
        service.wake([id]);
      },
    },
  };
  return {
    deps, alerts,
    /** Ids of monitors that are being diagnosed: their outages wait a moment. */
    underDiagnosis,
    /** Sends the outages of these incidents that waited for their diagnosis. */
    onDiagnosed: async (incidentIds: string[]) => {
      const waiting = await deliveries.endDiagnosisWait(incidentIds, clock.now());
      await queues.wake(waiting, clock.now());
      service.wakeOwners(waiting.map(({ _id }) => _id));
    },
    /** A shared probe is the operator's. */
    notifyProbeOwners: async (notice: ProbeNotice) => {
      const owner = notice.probe.organization_id;
      const organizationIds = owner === null ? await accounts.operatorOrganizations() : [owner];
      for (const organizationId of organizationIds) await alerts.fanOutProbeNotice(notice, organizationId);
    },
    /** For destinations that track incidents. A failure is logged: the change itself has succeeded. */
    onIncidentStatus: async (incident: IncidentDoc) => {
      const event = incident.status === 'acknowledged' ? 'incident.acknowledged' : 'incident.resolved';
      const deps = { deliveries, queues, clock, notify: service.wakeOwners };
      await fanOutIncidentEvent(deps, event, incident).catch((error: unknown) => {
        log.warn({ err: error, incident_id: incident._id }, 'could not queue the new status of an incident');
      });
    },
    onCauseEnded: (cause: CauseDoc) =>
      fanOutEnd({ threads, deliveries, destinations, queues, notify: service.wakeOwners, clock }, cause),
    /** The notification log of incidents. */
    log: deliveries,
    service, failing, poster,
    routes: [
      ...destinationRoutes(deps),
      ...alertMailRoutes({
        tokens: recipientTokens, suppressions, organizationName: accounts.organizationName,
        notifyOwners: accounts.notifyOwners,
      }),
    ],
    start: () => {
      service.start();
      failing.start();
      repeater.start();
    },
    stop: async () => {
      alerts.stop();
      await Promise.all([failing.stop(), repeater.stop(), service.stop(STOP_TIMEOUT_MS)]);
      await poster.close();
    },
  };
}

/** Calls an outside address while alerts can be sent; null without an address. */
export function openWatchdog(ports: ControllerPorts, { service, poster }: Notifications): Watchdog | null {
  const { config: { watchdog: config }, mongo, bus, clock, log } = ports;
  if (config === null) return null;
  return new Watchdog({
    ...config, clock, log, poster,
    checks: [
      { name: 'delivery of alerts', isWorking: () => service.hasPolled(silenceLimitMs(config.intervalMs)) },
      { name: 'database', isWorking: () => mongo.ping().then(() => true) },
      { name: 'bus', isWorking: () => bus.isConnected },
    ],
  });
}
