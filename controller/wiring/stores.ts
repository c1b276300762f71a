import type { Db } from 'mongodb';
import type { ShardMap } from '../../shared/ids.ts';
import type { Clock } from '../../shared/time.ts';
import { createAccountStores } from '../accounts/deps.ts';
import { KeyRingStore } from '../accounts/sessions/key-ring-store.ts';
import { SuppressionStore } from '../alert-mail/store.ts';
import { HeadStore } from '../assignments/head-store.ts';
import { AssignmentStore } from '../assignments/store.ts';
import { AuditStore } from '../audit/store.ts';
import { HeldAlertStore } from '../dependencies/store.ts';
import { MarkerStore } from '../changes/marker-store.ts';
import { ChangeStore, SeenStore } from '../changes/store.ts';
import { CauseStore } from '../causes/store.ts';
import { DiagnosisStore } from '../diagnosis/store.ts';
import { DiagnosisTurnStore } from '../diagnosis/turn-store.ts';
import { DecisionStore } from '../causes/decision-store.ts';
import { ThreadStore } from '../delivery/causes/thread-store.ts';
import { DigestClaimStore } from '../delivery/digests/claim-store.ts';
import { MailWindowStore } from '../delivery/digests/window-store.ts';
import { QueueStore } from '../delivery/queue-store.ts';
import { DeliveryStore } from '../delivery/store.ts';
import { DestinationStore } from '../destinations/store.ts';
import { SourceStore } from '../domains/source-store.ts';
import { DomainStore } from '../domains/store.ts';
import { TurnStore } from '../domains/turn-store.ts';
import { EvidenceStore } from '../evidence/store.ts';
import { GroupStore } from '../groups/store.ts';
import { RemovalStore, TreeStore } from '../groups/tree-store.ts';
import { PingHistoryStore } from '../heartbeats/history-store.ts';
import { PingStore } from '../heartbeats/store.ts';
import { ImportTurnStore } from '../import-export/store.ts';
import { CommentStore } from '../incidents/comment-store.ts';
import { IncidentStore } from '../incidents/store.ts';
import { IncidentUpdateStore, VoteStore } from '../incidents/history-store.ts';
import { WindowStore } from '../maintenance/store.ts';
import { CountStore } from '../monitors/counts/count-store.ts';
import { DependencyChangeStore } from '../monitors/dependencies/store.ts';
import { MonitorListStore } from '../monitors/list/list-store.ts';
import { MonitorStore } from '../monitors/store.ts';
import { UsageStore } from '../plans/usage-store.ts';
import { LimitedUses } from '../platform/mongo/limited-uses.ts';
import { EnrolmentKeyStore } from '../probes/enrolment-key-store.ts';
import { KeyStore } from '../probes/key-store.ts';
import { RegionStore } from '../probes/region-store.ts';
import { ProbeStore } from '../probes/store.ts';
import { DeadLetterStore } from '../results/dead-letters/dead-letter-store.ts';
import { AgedResultStore } from '../results/hours/aged-result-store.ts';
import { HourStore } from '../results/hours/hour-store.ts';
import { JournalStore } from '../results/journal/journal-store.ts';
import { LeaseStore } from '../results/shards/lease-store.ts';
import { CheckpointStore } from '../results/writing/checkpoint-store.ts';
import { CertificateStore } from '../results/writing/certificate-store.ts';
import { FeatureStore } from '../results/writing/feature-store.ts';
import { SnapshotStore } from '../results/writing/snapshot-store.ts';
import { StateStore } from '../results/writing/state-store.ts';
import { MongoStatusHistory } from '../results/writing/status-history-store.ts';
import { SweepStore } from '../retention/store.ts';
import { openSecretBox } from '../secrets/data-key.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import { DataKeyStore } from '../secrets/store.ts';
import { PageDomainStore } from '../status-pages/domains/domain-store.ts';
import { FreedSubdomainStore } from '../status-pages/freed-subdomain-store.ts';
import { PostStore } from '../status-pages/posts/post-store.ts';
import { PageStore } from '../status-pages/store.ts';
import { VisitStore } from '../status-pages/visits/visit-store.ts';
import { NoticeStore } from '../subscribers/notices/notice-store.ts';
import { OutboxStore } from '../subscribers/notices/outbox-store.ts';
import { SubscriberStore } from '../subscribers/store.ts';
import { SubscriptionStore } from '../subscriptions/store.ts';
import { VariableStore } from '../variables/store.ts';

export type Stores = ReturnType<typeof createStores>;

/** Every collection of a controller, each opened once and with its indexes. */
export async function openStores(
  db: Db, clock: Clock, shardMap: ShardMap, secretsKeys: readonly string[] = [],
): Promise<Stores> {
  const secrets = await openSecretBox({
    keys: new DataKeyStore(db), settings: secretsKeys,
    ringKeys: async () => (await new KeyRingStore(db).loadOrCreate()).derive('farwatch secrets'),
  });
  const stores = createStores(db, clock, shardMap, secrets);
  const { accounts, ...others } = stores;
  await Promise.all([...Object.values(accounts), ...Object.values(others)].map(async (store) => {
    if ('ensureIndexes' in store) await store.ensureIndexes();
  }));
  return stores;
}

function createStores(db: Db, clock: Clock, shardMap: ShardMap, secrets: SecretBox) {
  return {
    accounts: createAccountStores(db), keyRing: new KeyRingStore(db), usage: new UsageStore(db),
    audit: new AuditStore(db),
    monitors: new MonitorStore(db, shardMap), monitorLists: new MonitorListStore(db),
    monitorCounts: new CountStore(db), dependencyChanges: new DependencyChangeStore(db),
    variables: new VariableStore(db, secrets),
    groups: new GroupStore(db, clock), groupTrees: new TreeStore(db), groupRemovals: new RemovalStore(db),
    importTurns: new ImportTurnStore(db), pings: new PingStore(db),
    pingHistory: new PingHistoryStore(db), windows: new WindowStore(db),
    domains: new DomainStore(db), registryTurns: new TurnStore(db), registrySources: new SourceStore(db),
    regions: new RegionStore(db), probes: new ProbeStore(db),
    enrolmentKeys: new EnrolmentKeyStore(db), controllerKeys: new KeyStore(db),
    assignments: new AssignmentStore(db, secrets), assignmentHeads: new HeadStore(db),
    journal: new JournalStore(db), snapshots: new SnapshotStore(db), leases: new LeaseStore(db),
    states: new StateStore(db), checkpoints: new CheckpointStore(db), hours: new HourStore(db),
    statusHistory: new MongoStatusHistory(db),
    certificates: new CertificateStore(db), features: new FeatureStore(db),
    seenTargets: new SeenStore(db), targetChanges: new ChangeStore(db), markers: new MarkerStore(db),
    deadLetters: new DeadLetterStore(db),
    evidence: new EvidenceStore(db), agedResults: new AgedResultStore(db), sweeps: new SweepStore(db),
    incidents: new IncidentStore(db), incidentUpdates: new IncidentUpdateStore(db),
    comments: new CommentStore(db), votes: new VoteStore(db),
    destinations: new DestinationStore(db), testMails: new LimitedUses(db, 'test_mails'),
    suppressions: new SuppressionStore(db), deliveries: new DeliveryStore(db),
    deliveryQueues: new QueueStore(db, shardMap), mailWindows: new MailWindowStore(db),
    digestClaims: new DigestClaimStore(db), heldAlerts: new HeldAlertStore(db),
    diagnoses: new DiagnosisStore(db), diagnosisTurns: new DiagnosisTurnStore(db),
    causes: new CauseStore(db), causeDecisions: new DecisionStore(db), causeThreads: new ThreadStore(db),
    pages: new PageStore(db), freedSubdomains: new FreedSubdomainStore(db), posts: new PostStore(db),
    pageDomains: new PageDomainStore(db), visits: new VisitStore(db),
    subscribers: new SubscriberStore(db), subscriberRateLimits: new LimitedUses(db, 'subscriber_turns'),
    notices: new NoticeStore(db), noticeOutbox: new OutboxStore(db),
    subscriptions: new SubscriptionStore(db),
  };
}
