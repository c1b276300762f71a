import { newId, type ShardMap } from '../../shared/ids.ts';
import type { Log } from '../../shared/log.ts';
import type { Clock } from '../../shared/time.ts';
import type { Tenant } from '../access/tenant.ts';
import { incidentState } from '../destinations/channels/incident-state.ts';
import { REPEATED_TYPES } from '../destinations/channels/registry.ts';
import type { DestinationDoc } from '../destinations/destination.ts';
import { PeriodicTask } from '../work/periodic-task.ts';
import { recipientsOf } from './delivery-rules.ts';
import { sendAlert, type SendDeps } from './senders/send-alert.ts';
import type { DeliveryStore } from './store.ts';

/** Far below the time after which repeated alerts end on their own. */
const INTERVAL_MS = 120_000;

interface RepeaterDeps {
  destinations: { ofTypes(types: readonly string[]): Promise<DestinationDoc[]> };
  /** Open or acknowledged ones. */
  incidents: { openOf(tenant: Tenant): Promise<{ id: string }[]> };
  deliveries: Pick<DeliveryStore, 'openings'>;
  sending: SendDeps;
  ownsShard(shard: number): boolean;
  shardMap: ShardMap;
  clock: Clock;
  log: Log;
}

/**
 * Sends the alerts of open incidents again to destinations that would forget them. These attempts are neither
 * logged nor retried: the next run repeats them.
 */
export class AlertRepeater {
  readonly #deps: RepeaterDeps;
  readonly #task: PeriodicTask;
  readonly #aborter = new AbortController();

  constructor(deps: RepeaterDeps) {
    this.#deps = deps;
    this.#task = new PeriodicTask({
      clock: deps.clock, intervalMs: INTERVAL_MS, task: () => this.repeat(),
      onError: (error) => deps.log.warn({ err: error }, 'could not repeat the alerts of open incidents'),
    });
  }

  start(): void {
    this.#task.start();
  }

  async stop(): Promise<void> {
    this.#aborter.abort();
    await this.#task.stop();
  }

  async repeat(): Promise<void> {
    const { destinations, ownsShard, shardMap } = this.#deps;
    const all = await destinations.ofTypes(REPEATED_TYPES);
    const own = all.filter(({ _id, enabled }) => enabled && ownsShard(shardMap.of(_id)));
    await Promise.all(own.map((destination) => this.#repeatTo(destination)));
  }

  async #repeatTo(destination: DestinationDoc): Promise<void> {
    const { incidents, deliveries, sending, clock } = this.#deps;
    const { _id: id, organization_id: organizationId, project_id: projectId } = destination;
    const open = await incidents.openOf({ organizationId, projectId });
    const openings = await deliveries.openings(open.map((one) => one.id), { destination_id: id });
    const [recipient = ''] = recipientsOf(destination);
    const { signal } = this.#aborter;
    for (const { _id: deliveryId, alert } of openings) {
      if (signal.aborted) return;
      if (incidentState(alert).state !== 'open') continue;
      const context = { attemptId: newId(clock.now()), deliveryId, recipient, signal };
      const outcome = await sendAlert(sending, destination, alert, context);
      // The others would fail as well.
      if (outcome.kind !== 'sent') return;
    }
  }
}
