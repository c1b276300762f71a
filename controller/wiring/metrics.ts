import { Counter, Gauge, type Registry } from 'prom-client';
import type { ActorFigures } from '../../shared/actor/supervisor.ts';
import type { BackgroundMailer } from '../accounts/mail/background-mailer.ts';
import type { Confirmations } from '../assignments/second-opinions.ts';
import type { AssignmentHistoryCache } from '../assignments/assignment-history-cache.ts';
import type { Diagnoser } from '../diagnosis/diagnoser.ts';
import type { DomainLookups } from '../domains/service.ts';
import type { DeliveryCounts } from '../delivery/service.ts';
import type { EventHub } from '../events/hub.ts';
import type { EvidenceIntake } from '../evidence/intake.ts';
import type { RefusedWrites } from '../platform/mongo/refused-writes.ts';
import type { ProbeRate } from '../probes/probe-rate.ts';
import type { Shards } from '../results/shards/shards.ts';
import type { Fleet } from './fleet.ts';
import type { Notifications } from './notifications.ts';
import type { Subscribers } from './subscribers.ts';
import type { ControllerBus } from './ports.ts';

/** Help of `farwatch_delivery_tries_total`. */
const OUTCOMES: Record<keyof Omit<DeliveryCounts, 'resumed'>, string> = {
  sent: 'sent',
  retry: 'failed, will be retried',
  failed: 'failed finally',
  dropped: 'given up without an attempt',
  again: 'postponed',
  lost: 'another controller has the delivery',
};

export function observeAssignments(registry: Registry, { counts }: Pick<AssignmentHistoryCache, 'counts'>): void {
  const { counter } = metricsIn(registry);
  counter('farwatch_assignments_looked_up_total', () => counts.lookups,
    'Pairs of probe and monitor read from the database because a result named them.');
  counter('farwatch_assignment_lookups_declined_total', () => counts.declined,
    'Batches left unanswered because their probe reports on too many monitors that it does not have.');
}

export function observeConfirmations(registry: Registry, { counts }: Pick<Confirmations, 'counts'>): void {
  const { counter } = metricsIn(registry);
  counter('farwatch_confirmations_asked_total', () => counts.requested,
    'Checks asked of the other probes of a monitor because one of them saw it fail.');
  counter('farwatch_confirmations_omitted_total', () => counts.omitted,
    'Such checks that were not asked for, because too many waited: the schedule decides.');
}

export function observeExaminations(registry: Registry, { counts }: Pick<Diagnoser, 'counts'>): void {
  const { counter } = metricsIn(registry);
  counter('farwatch_examinations_asked_total', () => counts.requested,
    'Examinations of targets asked of probes, to find out where a failure comes from.');
  counter('farwatch_examinations_failed_total', () => counts.failed,
    'Such examinations without a response in time, or with one that was invalid.');
  counter('farwatch_examinations_omitted_total', () => counts.omitted,
    'Failures whose targets were not examined, because too many waited.');
}

export function observeResults(registry: Registry, shards: Shards, bus: ControllerBus): void {
  const { counts, deadLetters } = shards;
  const { gauge, counter } = metricsIn(registry);
  const sumOf = (field: 'monitors' | 'setAside') =>
    [...shards.summaries.values()].reduce((sum, summary) => sum + summary[field], 0);
  gauge('farwatch_shards_in_hand', () => shards.summaries.size,
    'Shards that this controller owns and has loaded.');
  gauge('farwatch_shards_failing', () => shards.failing,
    'Shards of this controller that failed and take no results until they are loaded again.');
  gauge('farwatch_monitors', () => sumOf('monitors'), 'Monitors in these shards.');
  gauge('farwatch_monitors_set_aside', () => sumOf('setAside'),
    'Monitors whose states or hours the database refuses; each is retried by itself.');
  counter('farwatch_results_total', () => counts.results, 'Results written to the journal since the start.');
  counter('farwatch_checks_missed_total', () => counts.missed_checks,
    'Checks that their probe could not run on time or must not run, as reported in these results.');
  counter('farwatch_journal_entries_total', () => counts.entries, 'Journal entries written.');
  counter('farwatch_journal_failures_total', () => counts.insert_failures,
    'Failed journal writes, each of which was retried.');
  counter('farwatch_journal_voided_total', () => counts.voided,
    'Entries that were void because another controller had written the shard.');
  counter('farwatch_journal_set_aside_total', () => counts.set_aside,
    'Journal entries of which something could not be read, applied or written and was set aside.');
  counter('farwatch_listener_failures_total', () => counts.listener_failures,
    'Failed calls of what only reads results, such as live events: the results are stored regardless.');
  counter('farwatch_dead_letters_total', () => deadLetters.count, 'Rejected results and messages.');
  counter('farwatch_dead_letters_omitted_total', () => deadLetters.omitted,
    'Rejected results and messages beyond 2,000 per hour and probe: counted, not kept.');
  counter('farwatch_results_not_assigned_total', () => deadLetters.countOf('not_assigned'),
    'Results rejected because their probe was never assigned the monitor.');
  counter('farwatch_results_unknown_region_total', () => shards.unknownRegions.count,
    'Batches ignored because their subject names no region that this controller knows.');
  counter('farwatch_lanes_dropped_total', () => shards.lostLanes.count,
    'Lanes dropped because their probe had begun more than 64 epochs within seconds.');
  gauge('farwatch_bus_connected', () => (bus.isConnected ? 1 : 0), '1 while connected to NATS.');
  counter('farwatch_bus_dropped_total', () => bus.stats().dropped,
    'Messages dropped because NATS was unreachable or slow.');
}

interface ObservedFleet extends Pick<Fleet, 'responder' | 'mesh'> {
  rates: Pick<ProbeRate, 'subject' | 'exceeded'>[];
}

export function observeFleet(registry: Registry, { rates, responder, mesh }: ObservedFleet): void {
  const { counter, counters, gauges } = metricsIn(registry);
  const exceeded = () => Object.fromEntries(rates.map((rate) => [rate.subject, rate.exceeded]));
  counters('farwatch_probe_rate_exceeded_total', 'subject', exceeded,
    'Messages ignored because their probe sent more than it may, by subject.');
  counter('farwatch_sync_dropped_total', () => responder.dropped,
    'Requests for assignments dropped because their probe sent another one, or too many probes waited.');
  const edges = () => {
    const counts = { ok: 0, broken: 0, unknown: 0 };
    for (const { state } of [...mesh.edges().values()].flat()) counts[state] += 1;
    return counts;
  };
  gauges('farwatch_mesh_edges', 'state', edges, 'Pairs of probes of which one pings the other, by state.');
}

export function observeActors(registry: Registry, supervisors: ActorFigures[]): void {
  const { counters, gauges } = metricsIn(registry);
  const byKind = (read: (figures: ActorFigures) => number) => () =>
    Object.fromEntries(supervisors.map((figures) => [figures.kind, read(figures)]));
  counters('farwatch_actor_restarts_total', 'actor', byKind(({ counts }) => counts.restarts),
    'Actors restarted after a failure since the start, by kind. The log has each failure.');
  counters('farwatch_actor_messages_refused_total', 'actor', byKind(({ counts }) => counts.refused),
    'Messages refused because the mailbox of their actor was full, by kind. Their senders repeat them.');
  counters('farwatch_actor_messages_slow_total', 'actor', byKind(({ counts }) => counts.slow),
    'Messages that were in work for 10 s, or blocked the process for 1 s, by kind. The log has each.');
  gauges('farwatch_actor_mailbox_depth', 'actor', byKind(({ mailboxDepth }) => mailboxDepth),
    'Messages in the fullest mailbox, by kind.');
}

export function observeDatabase(registry: Registry, refusedWrites: RefusedWrites): void {
  metricsIn(registry).counter('farwatch_writes_refused_total', () => refusedWrites.count,
    'Writes that the database refused for good, so that repeating them cannot help.');
}

type ObservedDeliveries = Pick<Notifications, 'service' | 'failing'>;

export function observeDeliveries(registry: Registry, { service, failing }: ObservedDeliveries): void {
  const { gauge, counter, counters } = metricsIn(registry);
  const outcomes = Object.entries(OUTCOMES).map(([outcome, meaning]) => `${outcome}: ${meaning}`).join('; ');
  const attemptCounts = () => {
    const { resumed: _resumed, ...attempts } = service.counts;
    return attempts;
  };
  counters('farwatch_delivery_tries_total', 'outcome', attemptCounts,
    `Delivery attempts since the start, by outcome. ${outcomes}.`);
  counter('farwatch_delivery_resumed_total', () => service.counts.resumed,
    'Deliveries resumed after an attempt with unknown outcome: each may have arrived twice.');
  gauge('farwatch_destinations_at_work', () => service.activeQueues, 'Destinations with deliveries in progress.');
  gauge('farwatch_destinations_failing', () => failing.latest,
    'Destinations in these shards whose latest delivery failed, counted at least every 30 s.');
}

export function observeDomains(registry: Registry, { counts }: Pick<DomainLookups, 'counts'>): void {
  metricsIn(registry).counters('farwatch_domain_lookups_total', 'outcome', () => counts,
    'Lookups of domains since the start, by outcome. found: the registry answered; unsupported: nobody '
      + 'can be asked; failed: will be retried; busy: postponed because the server was just asked.');
}

export function observeEvidence(registry: Registry, { counts }: Pick<EvidenceIntake, 'counts'>): void {
  metricsIn(registry).counters('farwatch_evidence_total', 'outcome', () => counts,
    'What became of evidence that probes sent, by outcome. kept; dropped: too much waited for the database; '
      + 'unwritable: the database refuses it; all others: refused, and why.');
}

export function observeNotices(registry: Registry, { counts }: Pick<Subscribers['noticeSender'], 'counts'>): void {
  metricsIn(registry).counters('farwatch_subscriber_tries_total', 'outcome', () => counts,
    'Attempts to tell subscribers of status pages something since the start, by outcome. sent; dropped: they '
      + 'or the page are gone; dead: refused for good; retry: failed; busy: the mail provider has too much to do.');
}

export function observeMailers(registry: Registry, mailers: Record<string, Pick<BackgroundMailer, 'dropped'>>): void {
  const dropped = () =>
    Object.fromEntries(Object.entries(mailers).map(([mails, mailer]) => [mails, mailer.dropped]));
  metricsIn(registry).counters('farwatch_account_mails_dropped_total', 'class', dropped,
    'Mails given up since the start, by class: refused by the recipient\'s server, failed in every attempt, or '
      + 'dropped because too many were in progress, Farwatch stopped or the address had its mails of the hour. '
      + 'The log names each.');
}

export function observeEvents(registry: Registry, hub: Pick<EventHub, 'streams' | 'refused'>): void {
  const { gauge, counter } = metricsIn(registry);
  gauge('farwatch_event_streams', () => hub.streams, 'Open streams of live events.');
  counter('farwatch_events_refused_total', () => hub.refused,
    'Messages of live events that could not be parsed.');
}

/** Something that refuses work beyond somebody's share. */
interface Share {
  refused: number;
}

export function observeShares(
  registry: Registry, { attempts, documents }: { attempts: Share[]; documents: Share[] },
): void {
  const { counter } = metricsIn(registry);
  const sumOf = (shares: Share[]) => shares.reduce((total, { refused }) => total + refused, 0);
  counter('farwatch_password_attempts_refused_total', () => sumOf(attempts),
    'Sign-ins and other work with passwords refused because an address or account had its share.');
  counter('farwatch_documents_refused_total', () => sumOf(documents),
    'Imports and exports refused because too many, or too much of them, were waiting.');
}

/** The rooms count in plain numbers, which cost nothing; a scrape copies them. */
function metricsIn(registry: Registry) {
  return {
    gauge: (name: string, read: () => number, help: string) => {
      new Gauge({ name, help, registers: [registry], collect() { this.set(read()); } });
    },
    /** `read` never decreases. */
    counter: (name: string, read: () => number, help: string) => {
      new Counter({
        name, help, registers: [registry],
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
    /** A gauge for each value of a label. */
    gauges: (name: string, label: string, read: () => Record<string, number>, help: string) => {
      new Gauge({
        name, help, registers: [registry], labelNames: [label],
        collect() {
          for (const [value, count] of Object.entries(read())) this.set({ [label]: value }, count);
        },
      });
    },
    /** A counter for each value of a label; none of what `read` returns ever decreases. */
    counters: (name: string, label: string, read: () => Record<string, number>, help: string) => {
      new Counter({
        name, help, registers: [registry], labelNames: [label],
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
        },
      });
    },
  };
}
