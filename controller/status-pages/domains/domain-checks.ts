import type { Log } from '../../../shared/log.ts';
import type { Clock } from '../../../shared/time.ts';
import { html } from '../../pages/html.ts';
import { nameInMail } from '../../pages/name-in-mail.ts';
import type { Mail } from '../../platform/mail/mailer-port.ts';
import { DueWork } from '../../work/claimed-work.ts';
import { PeriodicTask } from '../../work/periodic-task.ts';
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
/** Longer than a DNS check takes. */
const CLAIM_MS = 300_000;

/** Checks every few hours whether DNS still proves verified domains. */
export class DomainChecks extends PeriodicTask {
  constructor(deps: ChecksDeps) {
    const { domains, clock, log, holder } = deps;
    const work = new DueWork<PageDomainDoc>({ clock, holder, ttlMs: CLAIM_MS, store: domains });
    const onError = (error: unknown, { _id: domain }: PageDomainDoc) =>
      log.warn({ err: error, domain }, 'could not check the domain of a status page');
    super({
      clock, intervalMs: POLL_INTERVAL_MS,
      task: () => work.runDue({ limit: BATCH_SIZE, onError }, (claimed) => recheck(deps, claimed)),
      onError: (error) => log.warn({ err: error }, 'could not check the domains of status pages'),
    });
  }
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
    `The status page "${nameInMail(name)}" is no longer available at ${custom_domain} because its DNS `
    + 'records could not be verified for three days.',
    problem,
    `The page is still available at its subdomain, ${subdomain}. Correct the DNS records, then verify the domain again.`,
  ];
  return {
    to, subject: 'A status page lost its custom domain', text: `${lines.join('\n\n')}\n`,
    html: html`${lines.map((line) => html`<p>${line}</p>\n`)}`.text,
  };
}
