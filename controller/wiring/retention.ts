import { removeAgedIncidents } from '../incidents/verbs/change-incident.ts';
import type { Quota } from '../plans/quota.ts';
import { RetentionSweeper } from '../retention/sweeper.ts';
import type { ControllerPorts } from './ports.ts';

/** Removes what plans no longer keep. */
export function openRetention(
  { stores, clock, log, ownsShard, shardMap }: Pick<ControllerPorts, 'stores' | 'clock' | 'log' | 'ownsShard' | 'shardMap'>,
  quota: Pick<Quota, 'limitsOf'>,
): RetentionSweeper {
  const { monitors, agedResults: results, sweeps, evidence, pingHistory, audit } = stores;
  const { deadLetters, freedSubdomains, targetChanges, markers } = stores;
  const { organizations, projects } = stores.accounts;
  const { incidents, incidentUpdates: updates, comments, votes, causes, diagnoses, diagnosisTurns } = stores;
  return new RetentionSweeper({
    monitors, results, sweeps, records: [evidence, pingHistory, targetChanges],
    ownsShard, shardMap, clock, log,
    limitsOf: (organizationId) => quota.limitsOf(organizationId),
    organizations: { page: (after, limit) => organizations.pageOfIds(after, limit) },
    documents: {
      removeIncidents: async (organizationId, before, limit) => {
        const aged = [causes, markers, diagnoses, diagnosisTurns];
        await Promise.all(aged.map((store) => store.removeOlder(organizationId, before)));
        const projectIds = (await projects.listOf([organizationId])).map(({ _id }) => _id);
        const of = { incidents, updates, comments, votes };
        return removeAgedIncidents(of, organizationId, projectIds, before, limit);
      },
      removeAuditEntries: (organizationId, before, limit) => audit.removeOlder(organizationId, before, limit),
      removeDeadLetters: (before, limit) => deadLetters.removeOlder(before, limit),
      removeSettledAlerts: (before, limit) => stores.heldAlerts.removeSettled(before, limit),
      removeFreedSubdomains: (now, limit) => freedSubdomains.removeExpired(now, limit),
    },
  });
}
