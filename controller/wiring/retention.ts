import type { AccountStores } from '../accounts/deps.ts';
import { AuditStore } from '../audit/store.ts';
import { EvidenceStore } from '../evidence/store.ts';
import { CommentStore } from '../incidents/comment-store.ts';
import { IncidentStore } from '../incidents/store.ts';
import { IncidentUpdateStore } from '../incidents/update-store.ts';
import { VoteStore } from '../incidents/vote-store.ts';
import { removeAgedIncidents } from '../incidents/verbs/change-incident.ts';
import { MonitorStore } from '../monitors/store.ts';
import type { PlanLimits } from '../plans/plans.ts';
import { DeadLetterStore } from '../results/dead-letters/dead-letter-store.ts';
import { FreedSubdomainStore } from '../status-pages/freed-subdomain-store.ts';
import type { Mongo } from '../platform/mongo/mongo.ts';
import { AgedResultStore } from '../results/hours/aged-result-store.ts';
import { SweepStore } from '../retention/store.ts';
import { RetentionSweeper } from '../retention/sweeper.ts';
import type { ControllerPorts } from './ports.ts';

interface RetentionSources {
  accounts: Pick<AccountStores, 'organizations' | 'projects'>;
  limitsOf(organizationId: string): Promise<PlanLimits>;
  ownsShard(shard: number): boolean;
}

/** Removes what plans no longer keep. */
export function openRetention(
  { mongo: { db }, clock, log }: Pick<ControllerPorts, 'clock' | 'log'> & { mongo: Pick<Mongo, 'db'> },
  { accounts: { organizations, projects }, limitsOf, ownsShard }: RetentionSources,
): RetentionSweeper {
  const incidents = {
    incidents: new IncidentStore(db), updates: new IncidentUpdateStore(db), comments: new CommentStore(db),
    votes: new VoteStore(db),
  };
  const audit = new AuditStore(db);
  const deadLetters = new DeadLetterStore(db);
  const freed = new FreedSubdomainStore(db);
  return new RetentionSweeper({
    monitors: new MonitorStore(db), results: new AgedResultStore(db), sweeps: new SweepStore(db),
    evidence: new EvidenceStore(db), limitsOf, ownsShard, clock, log,
    organizations: {
      page: (after, limit) => organizations.pageOfIds(after, limit),
      projectsOf: async (organizationId) => (await projects.listOf([organizationId])).map(({ _id }) => _id),
    },
    documents: {
      removeIncidents: (tenant, before, limit) => removeAgedIncidents(incidents, tenant, before, limit),
      removeAuditEntries: (organizationId, before, limit) => audit.removeOlder(organizationId, before, limit),
      removeDeadLetters: (before, limit) => deadLetters.removeOlder(before, limit),
      removeFreedSubdomains: (now, limit) => freed.removeExpired(now, limit),
    },
  });
}
