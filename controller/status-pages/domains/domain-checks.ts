import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { html } from '../../pages/html.ts';
import { nameInMail } from '../../pages/name-in-mail.ts';
import type { Mail } from '../../platform/mail/mailer-port.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
import { WorkClaims } from '../../work/work-claims.ts';
import type { PageDoc } from '../page.ts';
import type { PageDomainDoc } from './page-domain.ts';
import { recheckDomain, type DomainDeps } from './verbs.ts';

interface ChecksDeps extends DomainDeps {
  /** Mails the owners of an organization. */
  notifyOwners(organizationId: string, compose: (to: string) => Mail): void;
  clock: Clock;
  log: Log;
  /** Name of this controller. */
  holder: string;
}

const POLL_INTERVAL_MS = 600_000;
/** Domains per run; if there are more, the next run follows at once. */
const BATCH_SIZE = 50;
/** Longer than a DNS check takes; then another controller repeats it. */
const CLAIM_MS = 300_000;

/** Checks every few hours whether DNS still proves verified domains. */
export class DomainChecks extends PeriodicTask {
  constructor(deps: ChecksDeps) {
    const { clock, holder } = deps;
    const workClaims = new WorkClaims({ clock, holder, ttlMs: CLAIM_MS });
    super({
      clock, intervalMs: POLL_INTERVAL_MS, task: () => recheckDue(deps, workClaims),
      onError: (error) => deps.log.warn({ err: error }, 'could not check the domains of status pages'),
    });
  }
}

async function recheckDue(deps: ChecksDeps, workClaims: WorkClaims): Promise<boolean> {
  const { domains, clock, log } = deps;
  const due = await domains.due(clock.now(), BATCH_SIZE, workClaims.heldTokens);
  const free = due.filter(({ claim }) => workClaims.isFree(claim));
  for (const seen of free) {
    try {
      await workClaims.runClaimed((claim) => domains.claim(seen, claim), (claimed) => recheck(deps, claimed));
    } catch (error) {
      // The claim expires by itself; other domains are not affected.
      log.warn({ err: error, domain: seen._id }, 'could not check the domain of a status page');
    }
  }
  return due.length === BATCH_SIZE && free.length > 0;
}

async function recheck(deps: ChecksDeps, claimed: PageDomainDoc): Promise<void> {
  const { clock, log, notifyOwners } = deps;
  const lost = await recheckDomain(deps, claimed, clock.now());
  if (lost === null) return;
  const { page, problem } = lost;
  log.warn({ page_id: page._id, domain: claimed._id, problem }, 'a status page lost its custom domain');
  notifyOwners(page.organization_id, (to) => lossNotice(to, page, problem));
}

export function lossNotice(
  to: string, { name, custom_domain, subdomain }: PageDoc, problem: string,
): Mail {
  const lines = [
    `The status page "${nameInMail(name)}" is no longer reachable at ${custom_domain}: for three days, its DNS `
    + 'records could not be verified.',
    problem,
    `The page is still available at its subdomain, ${subdomain}. Correct the DNS records, then verify the domain again.`,
  ];
  return {
    to, subject: 'A status page lost its custom domain', text: `${lines.join('\n\n')}\n`,
    html: html`${lines.map((line) => html`<p>${line}</p>\n`)}`.text,
  };
}
