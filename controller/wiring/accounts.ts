import type { AccountDeps } from '../accounts/deps.ts';
import { CLAIM_MS } from '../accounts/invitations/store.ts';
import { BackgroundMailer } from '../accounts/mail/background-mailer.ts';
import { mailOwners } from '../accounts/mail/owner-mail.ts';
import { findAssignee } from '../accounts/projects/verbs/members.ts';
import { Credentials, SessionTokens } from '../accounts/sessions/credentials.ts';
import { parseKeyRing } from '../accounts/sessions/key-ring.ts';
import { SessionEndNotifier } from '../accounts/sessions/session-end-notifier.ts';
import type { Tenant } from '../access/tenant.ts';
import { PasswordAttempts } from '../accounts/users/password-attempts.ts';
import { PasswordHasher } from '../accounts/users/passwords.ts';
import { Quota } from '../plans/quota.ts';
import type { Mail, MailClass, Mailer } from '../platform/mail/mailer-port.ts';
import { WorkClaims } from '../work/claimed-work.ts';
import type { Events } from './events.ts';
import type { ControllerPorts } from './ports.ts';

interface AccountSources {
  mailer: Mailer;
  events: Events;
}

export type Accounts = Awaited<ReturnType<typeof openAccounts>>;

/** Accounts with their limits, and the mail that they send. */
export async function openAccounts(ports: ControllerPorts, sources: AccountSources) {
  const { config, stores, bus, clock, log, holder, baseUrl } = ports;
  const { mailer, events } = sources;
  const { plans, registration, defaultPlan, planChanges, jwtKeys } = config.accounts;
  const { monitors, groups, regions, probes, pages, windows, variables, subscriptions } = stores;
  const { users, organizations, members, projects } = stores.accounts;
  const quota = new Quota({
    usage: stores.usage, plans, clock, organizations, defaultPlan,
    count: {
      monitors: (organizationId) => monitors.countOfOrganization(organizationId),
      projects: (organizationId) => projects.countOfOrganization(organizationId),
      regions: (organizationId) => regions.countOfOrganization(organizationId),
      probes: (organizationId) => probes.countOfOrganization(organizationId),
      status_pages: (organizationId) => pages.countOfOrganization(organizationId),
      subscriptions: (organizationId) => subscriptions.countOfOrganization(organizationId),
    },
  });
  const ring = await (jwtKeys === null ? stores.keyRing.loadOrCreate() : parseKeyRing(jwtKeys));
  const tokens = new SessionTokens(ring);
  const sessionEnds = new SessionEndNotifier(bus);
  const mailerOf = (mailClass: MailClass) => new BackgroundMailer({ mailer, mailClass, clock, log });
  const mailers = {
    accounts: mailerOf('accounts'), invitations: mailerOf('invitations'), owners: mailerOf('owners'),
  };
  const deps: Omit<AccountDeps, 'subscriptions'> = {
    claims: new WorkClaims({ clock, holder, ttlMs: CLAIM_MS }),
    tokens, sessionEnds, quota, registration, defaultPlan, planChanges, mailers, baseUrl, log,
    enrolmentKeys: stores.enrolmentKeys,
    openStreams: (organizationId) => events.hub.streamsOf(organizationId),
    hasher: new PasswordHasher(clock, ports.passwordCost),
    attempts: new PasswordAttempts(clock, config.http.rateLimit),
    contentsOfProject: async (tenant) => {
      if (await monitors.hasAny(tenant)) return 'monitors';
      if ((await groups.countOf(tenant)) > 0) return 'groups';
      if (await pages.hasAny(tenant)) return 'status pages';
      if (await windows.hasAny(tenant)) return 'maintenance windows';
      return (await variables.countOf(tenant)) > 0 ? 'variables' : null;
    },
    ...stores.accounts,
  };
  return {
    deps, quota, sessionEnds,
    people: { assignee: (tenant: Tenant, userId: string) => findAssignee(stores.accounts, tenant, userId) },
    credentials: new Credentials(deps),
    /** 256-bit keys for links that need no storage; the first one signs. */
    linkKeys: ring.derive('farwatch links in alert mail'),
    acknowledgeKeys: ring.derive('farwatch links that acknowledge incidents'),
    subscriberKeys: ring.derive('farwatch links in mail to subscribers'),
    organizationName: async (id: string) => (await organizations.find(id))?.name ?? null,
    notifyOwners: (organizationId: string, compose: (to: string) => Mail) => {
      mailOwners(deps, organizationId, compose);
    },
    /** Organizations that a user belongs to, the oldest membership first. */
    organizationsOf: async (userId: string) =>
      (await members.listOfUser(userId)).map((member) => member.organization_id),
    /** Those that the installation's operator owns or administers: shared probes are theirs. */
    operatorOrganizations: async () => {
      const operator = await users.findFirst();
      const all = operator ? await members.listOfUser(operator._id) : [];
      return all.filter(({ role }) => role === 'owner' || role === 'admin').map((one) => one.organization_id);
    },
    start: () => sessionEnds.start(),
    /** Ends the mails that are being sent. */
    stop: async () => {
      await sessionEnds.stop();
      await Promise.all(Object.values(mailers).map((each) => each.close()));
      await mailer.close();
    },
  };
}
