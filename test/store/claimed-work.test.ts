import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadControllerConfig } from '../../controller/config.ts';
import { SourceStore } from '../../controller/domains/source-store.ts';
import { DomainSources } from '../../controller/domains/sources.ts';
import { incidentFromOpening } from '../../controller/incidents/outbox.ts';
import { IncidentStore } from '../../controller/incidents/store.ts';
import { openMailer } from '../../controller/platform/mail/mailer.ts';
import { createAddressVetting } from '../../controller/platform/outbound/address-vetting.ts';
import { HttpPoster } from '../../controller/platform/outbound/poster.ts';
import { GuardedReader } from '../../controller/platform/outbound/reader.ts';
import { DomainChecks } from '../../controller/status-pages/domains/domain-checks.ts';
import { PageDomainStore } from '../../controller/status-pages/domains/domain-store.ts';
import { DEFAULT_SETTINGS, type PageDoc } from '../../controller/status-pages/page.ts';
import { IncidentFollower } from '../../controller/status-pages/posts/incident-follower.ts';
import { PostStore } from '../../controller/status-pages/posts/post-store.ts';
import { PageStore } from '../../controller/status-pages/store.ts';
import type { NoticeDoc, OutgoingDoc } from '../../controller/subscribers/notice.ts';
import { NoticeSender } from '../../controller/subscribers/notices/notice-sender.ts';
import { immediateOf } from '../../controller/subscribers/notices/notice-rules.ts';
import { NoticeStore } from '../../controller/subscribers/notices/notice-store.ts';
import { OutboxStore } from '../../controller/subscribers/notices/outbox-store.ts';
import { SubscriberLinks } from '../../controller/subscribers/subscriber-links.ts';
import type { SubscriberDoc } from '../../controller/subscribers/subscriber.ts';
import { SubscriberStore } from '../../controller/subscribers/store.ts';
import { Peers } from '../../controller/work/peers.ts';
import { type WorkClaim, WorkClaims } from '../../controller/work/claimed-work.ts';
import { newId } from '../../shared/ids.ts';
import { createLog } from '../../shared/log.ts';
import { systemClock, type Clock } from '../../shared/time.ts';
import { monitorConfig, TENANT } from '../helpers/delivery-rig.ts';
import { pageSubscriber } from '../helpers/page-subscriber.ts';
import { startRegistry, type Registry } from '../helpers/registry.ts';
import { startSmtpServer, type TestSmtpServer } from '../helpers/smtp-server.ts';
import { until } from '../helpers/until.ts';
import { withCheckedMongo } from './with-mongo.ts';

const NOW = Date.UTC(2026, 2, 4, 5, 6, 7);
const HOUR_MS = 3_600_000;
const log = createLog('test', 'silent');
const owned = { organization_id: TENANT.organizationId, project_id: TENANT.projectId };

const mongo = withCheckedMongo();
let smtp: TestSmtpServer;
let registry: Registry;
let page: PageDoc;

beforeAll(async () => {
  [smtp, registry] = await Promise.all([startSmtpServer(), startRegistry()]);
  const { db } = mongo;
  const stores = [NoticeStore, OutboxStore, SubscriberStore, PageStore, PostStore, PageDomainStore, IncidentStore];
  await Promise.all(stores.map((Store) => new Store(db).ensureIndexes()));
});
afterAll(() => Promise.all([smtp?.stop(), registry?.close()]));
beforeEach(async () => {
  for (const name of ['status_page_domains', 'domain_sources', 'incidents', 'subscriber_outbox']) {
    await mongo.db.collection(name).deleteMany({});
  }
  page = {
    ...DEFAULT_SETTINGS, _id: newId(NOW), ...owned, name: 'Acme', subdomain: `page-${randomUUID()}`,
    status: 'published', branding: null, verified_domain: null, last_published_at: NOW, created_at: NOW,
    updated_at: NOW,
    components: [{
      monitor_id: newId(NOW), display_name: null, group_name: null, display_order: 0, is_visible: true, created_at: NOW,
    }],
  };
  await new PageStore(mongo.db).insert(page);
});

/** A clock that stands still until the test advances it, and is ahead by `aheadMs`. */
function clockThatIs(aheadMs: number) {
  let elapsedMs = 0;
  const clock: Clock = { ...systemClock, now: () => NOW + aheadMs + elapsedMs, monotonic: () => elapsedMs };
  return { clock, advance: (ms: number) => void (elapsedMs += ms) };
}

/** The background work of one controller. `done` records its external effects. */
function controller(holder: string, clock: Clock) {
  const { db } = mongo;
  const [pages, posts, domains] = [new PageStore(db), new PostStore(db), new PageDomainStore(db)];
  const incidents = new IncidentStore(db);
  const own = { clock, log, holder };
  const done: string[] = [];
  const { mail } = loadControllerConfig({
    MONGODB_URL: mongo.url, NATS_URL: 'nats://127.0.0.1:1', SMTP_URL: smtp.url,
  });
  const vetting = createAddressVetting({ resolve: async () => [], allowPrivate: true, clock: systemClock });
  const queryDeps = { reader: new GuardedReader({ clock: systemClock, vetting }), roots: registry.roots };
  const sources = new DomainSources({
    store: new SourceStore(db), clock, holder, takeTurn: async () => true, ...queryDeps,
  });
  return {
    done,
    noticeSender: new NoticeSender({
      ...own, pages, posts, subscribers: new SubscriberStore(db), notices: new NoticeStore(db),
      outbox: new OutboxStore(db), peers: new Peers(), random: Math.random,
      mailer: openMailer(mail, { folder: '', clock: systemClock, log }),
      poster: new HttpPoster({ clock: systemClock, vetting }),
      links: new SubscriberLinks([Buffer.alloc(32, 1)], () => 'https://farwatch.example'),
    }),
    follower: new IncidentFollower({
      ...own, peers: new Peers(), posting: { pages, posts, notifySubscribers: () => undefined },
      incidents: {
        dueForPages: (...args) => incidents.dueForPages(...args),
        claimForPages: (...args) => incidents.claimForPages(...args),
        markPagesNotified: (claimed, pageIds) => {
          done.push(claimed._id);
          return incidents.markPagesNotified(claimed, pageIds);
        },
      },
    }),
    checks: new DomainChecks({
      ...own, pages, domains, own: { pageDomain: null, baseHost: null }, domainChanged: () => undefined,
      notifyOwners: () => undefined,
      lookUpRecords: async (name) => {
        done.push(name);
        return { values: [`farwatch-page=${page._id}`], problem: null };
      },
    }),
    sources,
  };
}
type Working = ReturnType<typeof controller>;

async function subscribe(count: number): Promise<SubscriberDoc[]> {
  const of = { ...TENANT, pageId: page._id };
  const all = Array.from({ length: count }, () => pageSubscriber(of, `s-${randomUUID()}@example.com`));
  await mongo.db.collection<SubscriberDoc>('status_page_subscribers').insertMany(all);
  return all;
}

const noticeOf = (title: string): NoticeDoc => ({
  _id: randomUUID(), ...owned, page_id: page._id, kind: 'incident', topics: ['all_incidents'], thread: 'thread',
  is_first: true, title, text: 'We look into it.', created_at: NOW - 2 * HOUR_MS, cursor: '',
  // Due by the clock of each controller.
  due_at: NOW - 2 * HOUR_MS,
});
const incidentOf = (started_at: number) => incidentFromOpening({
  id: newId(NOW), severity: 'major', type: 'status_code', error_message: 'Status 503', affected_regions: ['eu'],
  failure_count: 1, started_at,
  monitor: monitorConfig({ ...owned, monitor_id: page.components[0]?.monitor_id ?? '' }),
}, started_at);
const mailsTo = (email: string) => smtp.mails.filter(({ to }) => to.includes(email)).length;

interface Work {
  ttlMs: number;
  /** Stores work with this claim. */
  storeClaimed(claim: WorkClaim): Promise<void>;
  /** One poll of a controller for work of this kind. */
  poll(by: Working): Promise<unknown>;
  /** How often the work was done. */
  times(by: Working): number | Promise<number>;
}

/** The recipient of the mail. */
let subscriber: SubscriberDoc;

const WORK: Record<string, Work> = {
  'a mail': {
    ttlMs: 30_000,
    storeClaimed: async (claim) => {
      subscriber = (await subscribe(1))[0] as SubscriberDoc;
      const [notice, outbox] = [noticeOf('Shop is down'), new OutboxStore(mongo.db)];
      const { due_at: _dueAt, ...withoutDueAt } = notice;
      await new NoticeStore(mongo.db).add([withoutDueAt]);
      const [outgoing] = immediateOf(notice, subscriber, NOW - 2 * HOUR_MS) as [OutgoingDoc];
      await outbox.add([outgoing]);
      expect(await outbox.claim(outgoing, claim)).toMatchObject({ claim });
    },
    poll: (by) => by.noticeSender.run(),
    times: () => mailsTo(subscriber.email),
  },
  'a notice': {
    ttlMs: 15_000,
    storeClaimed: async (claim) => {
      subscriber = (await subscribe(1))[0] as SubscriberDoc;
      const [notice, notices] = [noticeOf('Shop is down'), new NoticeStore(mongo.db)];
      await notices.add([notice]);
      expect(await notices.claim(notice, claim)).toMatchObject({ claim });
    },
    poll: (by) => by.noticeSender.run(),
    times: async () => {
      const sought = { subscriber_id: subscriber._id };
      return mongo.db.collection('subscriber_outbox').countDocuments(sought);
    },
  },
  'an incident due for status pages': {
    ttlMs: 60_000,
    storeClaimed: async (claim) => {
      const store = new IncidentStore(mongo.db);
      await store.insert(incidentOf(NOW));
      const [seen] = await store.dueForPages(NOW, 1);
      expect(await store.claimForPages(seen as NonNullable<typeof seen>, claim)).toMatchObject({ claim });
    },
    poll: (by) => by.follower.run(),
    times: ({ done }) => done.length,
  },
  'the domain of a page': {
    ttlMs: 300_000,
    storeClaimed: async (claim) => {
      const domain = 'status.example';
      const [store, pages] = [new PageDomainStore(mongo.db), mongo.db.collection<PageDoc>('status_pages')];
      await pages.updateOne({ _id: page._id }, { $set: { custom_domain: domain } });
      const { _id: page_id, subdomain } = page;
      const doc = { _id: domain, ...owned, page_id, subdomain, due_at: NOW - 2 * HOUR_MS, failing_since: null };
      await store.insert(doc);
      expect(await store.claim(doc, claim)).toMatchObject({ claim });
    },
    poll: (by) => by.checks.run(),
    times: ({ done }) => done.length,
  },
  'the list of RDAP servers': {
    ttlMs: 30_000,
    storeClaimed: async (claim) => {
      const store = new SourceStore(mongo.db);
      registry.http.requests.length = 0;
      expect(await store.claim(await store.list(), claim)).toMatchObject({ claim });
    },
    poll: (by) => by.sources.rdap('com'),
    times: () => registry.http.requests.filter(({ path }) => path === '/dns.json').length,
  },
};

describe.each(Object.entries(WORK))('%s', (_name, { ttlMs, storeClaimed, poll, times }) => {
  test.each([-HOUR_MS, HOUR_MS])('is left to the claim\'s holder until the claim expires, with a clock %i ms ahead', async (ms) => {
    await storeClaimed(new WorkClaims({ clock: clockThatIs(0).clock, holder: 'dead', ttlMs }).create());
    const { clock, advance } = clockThatIs(ms);
    const other = controller('other', clock);
    await poll(other);
    advance(ttlMs - 1);
    await poll(other);
    expect(await times(other)).toBe(0);
    advance(1);
    await poll(other);
    await until(async () => (await times(other)) === 1, { what: 'it is done' });
    advance(ttlMs);
    await poll(other);
    expect(await times(other)).toBe(1);
  });

  test('is resumed at once by the restarted controller', async () => {
    await storeClaimed(new WorkClaims({ clock: clockThatIs(HOUR_MS).clock, holder: 'one', ttlMs }).create());
    const one = controller('one', clockThatIs(0).clock);
    await poll(one);
    await until(async () => (await times(one)) === 1, { what: 'it is done' });
  });
});

test('a change of an incident is published at once, whoever holds a claim on its earlier state', async () => {
  const store = new IncidentStore(mongo.db);
  await WORK['an incident due for status pages']?.storeClaimed({ token: 'old', holder: 'dead', life: 'last' });
  const [seen] = await store.dueForPages(NOW, 1) as [ReturnType<typeof incidentOf>];
  const other = controller('other', clockThatIs(HOUR_MS).clock);
  // Not idle: it polls again soon for work left to it.
  expect(await other.follower.run()).toBe(false);
  expect(other.done).toEqual([]);
  const changed = await store.change(seen, { title: 'Shop is slow', updated_at: NOW + 1 }, []);
  await store.markPagesNotified(seen, []);
  await other.follower.run();
  expect(other.done).toEqual([seen._id]);
  expect(await store.dueForPages(NOW + HOUR_MS, 1)).toEqual([]);
  expect(changed).not.toHaveProperty('claim');
});

test('work claimed by others does not hide later work', async () => {
  const outbox = new OutboxStore(mongo.db);
  const all = await subscribe(450);
  const sentNotice = noticeOf('Shop is down');
  const { due_at: _due, ...notice } = sentNotice;
  await new NoticeStore(mongo.db).add([notice]);
  const outgoing = all.flatMap((one) => immediateOf(sentNotice, one, NOW - 2 * HOUR_MS));
  // More than one poll lists.
  const claimed = outgoing.slice(0, 430).map((one, at) =>
    ({ ...one, due_at: NOW - 3 * HOUR_MS, claim: { token: `token-${at}`, holder: 'dead', life: 'last' } }));
  await outbox.add([...claimed, ...outgoing.slice(430)]);
  const { noticeSender } = controller('other', clockThatIs(0).clock);
  for (let poll = 0; poll < 4; poll += 1) await noticeSender.run();
  expect(noticeSender.counts.sent).toBe(20);
});

test('one poll notifies more subscribers than fit into one batch, without waiting for the next poll', async () => {
  const all = await subscribe(250);
  await new NoticeStore(mongo.db).add([noticeOf('Shop is down')]);
  // It is not started, so only the end of a batch makes it poll again.
  const { noticeSender } = controller('one', clockThatIs(0).clock);
  await noticeSender.run();
  await until(() => noticeSender.counts.sent >= all.length, { what: 'all are notified' });
  expect(all.map(({ email }) => mailsTo(email))).toEqual(all.map(() => 1));
});

test('two controllers whose clocks are an hour apart notify each subscriber once per incident', async () => {
  const both = [-HOUR_MS, 0].map((ms, at) => controller(`controller-${at}`, clockThatIs(ms).clock));
  const all = await subscribe(20);
  const notices = Array.from({ length: 3 }, (_, at) => noticeOf(`Outage ${at}`));
  await new NoticeStore(mongo.db).add(notices);
  const incidents = Array.from({ length: 6 }, (_, at) => incidentOf(NOW - 2 * HOUR_MS - at));
  for (const one of incidents) await new IncidentStore(mongo.db).insert(one);
  const outbox = mongo.db.collection<OutgoingDoc>('subscriber_outbox');
  await until(async () => {
    await Promise.all(both.flatMap(({ noticeSender, follower }) => [noticeSender.run(), follower.run()]));
    const sent = await outbox.countDocuments({ state: 'sent' });
    return sent === all.length * (notices.length + incidents.length);
  }, { what: 'all are notified' });
  expect(both.flatMap(({ done }) => done).sort()).toEqual(incidents.map(({ _id }) => _id).sort());
  for (const { email } of all) {
    const titles = smtp.mails.filter(({ to }) => to.includes(email)).map(({ headers }) => headers['subject']);
    expect(titles.filter((title) => title?.includes('Outage'))).toHaveLength(notices.length);
    expect(titles).toHaveLength(notices.length + incidents.length);
  }
});
