import { AppError } from '../../errors/app-error.ts';
import type { ProjectContext } from '../../http/routing/route.ts';
import { fieldError } from '../../http/input/validation.ts';
import type { PageDeps } from '../deps.ts';
import type { PageDoc } from '../page.ts';
import { completePage, loadPage } from '../verbs/read-pages.ts';
import { afterCheck, isInstallationDomain, findProofProblem, proofRecords, type InstallationNames } from './domain-rules.ts';
import type { PageDomainStore } from './domain-store.ts';
import type { LookUpRecords, PageDomainDoc } from './page-domain.ts';

export interface DomainDeps {
  pages: PageDeps['pages'];
  domains: PageDomainStore;
  lookUpRecords: LookUpRecords;
  own: InstallationNames;
  /** Shows the change to this controller's readers of the domain at once. */
  domainChanged(domain: string): void;
}

/** Why DNS doesn't prove that a domain is for its page; null if it does. `caller` is an organization. */
async function findProblem(
  { lookUpRecords, own }: DomainDeps, domain: PageDomainDoc, caller = domain.organization_id,
): Promise<string | null> {
  if (isInstallationDomain(domain._id, own)) return 'This domain belongs to this installation';
  const records = proofRecords(domain, own);
  const responses = await Promise.all(records.map(({ name, type }) => lookUpRecords(caller, name, type)));
  return findProofProblem(records, responses);
}

/**
 * Checks DNS and, if it proves the page's domain, serves the page there. Throws RESOURCE_NOT_FOUND,
 * ACCESS_DENIED, VALIDATION_ERROR without a domain, CONFLICT while it belongs to another page.
 */
export async function verifyDomain(deps: PageDeps & DomainDeps, ctx: ProjectContext, id: string) {
  const page = await loadPage(deps, ctx.tenant, id);
  if (page.custom_domain === null) throw fieldError('custom_domain', 'The page has no custom domain');
  const candidate = assignmentOf(page, page.custom_domain, ctx.now);
  const problem = await findProblem(deps, candidate);
  const isVerified = problem === null;
  if (isVerified) await assign(deps, candidate);
  const seen = isVerified ? { ...page, verified_domain: candidate._id } : page;
  const records = proofRecords(candidate, deps.own);
  const whole = await completePage(deps, ctx, seen);
  return { whole, verification: { is_verified: isVerified, problem, records } };
}

/**
 * Repeats the DNS check of a page's domain. Returns the page that loses it and the reason; otherwise null.
 */
export async function recheckDomain(
  deps: DomainDeps, domain: PageDomainDoc, now: number,
): Promise<{ page: PageDoc; problem: string } | null> {
  const page = await deps.pages.findOfOrganization(domain.organization_id, domain.page_id);
  if (page === null || page.custom_domain !== domain._id) {
    await deps.domains.giveUp(domain);
    return null;
  }
  const problem = await findProblem(deps, domain);
  const next = afterCheck(domain, problem === null, now);
  if (next !== null) {
    await deps.domains.settle(domain, next);
    // A crash during verification may have skipped this.
    if (problem === null) await deps.pages.markVerified(page, domain._id, true);
    return null;
  }
  if (!(await deps.domains.giveUp(domain))) return null;
  await unassign(deps, domain);
  return { page, problem: problem ?? '' };
}

function assignmentOf(page: PageDoc, domain: string, now: number): PageDomainDoc {
  const { _id: page_id, organization_id, project_id, subdomain } = page;
  const { due_at, failing_since } = afterCheck({ failing_since: null }, true, now) as PageDomainDoc;
  return { _id: domain, organization_id, project_id, page_id, subdomain, due_at, failing_since };
}

async function assign(deps: DomainDeps, candidate: PageDomainDoc): Promise<void> {
  const { domains, pages, domainChanged } = deps;
  const holder = await domains.find(candidate._id);
  if (holder !== null && holder.page_id !== candidate.page_id) {
    // DNS decides: a domain that its holder can no longer prove is free at once.
    if ((await findProblem(deps, holder, candidate.organization_id)) === null) throw domainTaken();
    await domains.release(holder);
    await unassign(deps, holder);
  }
  const isNew = await domains.insertIfFree(candidate);
  if (!isNew && (await domains.find(candidate._id))?.page_id !== candidate.page_id) throw domainTaken();
  const { due_at, failing_since } = candidate;
  if (!isNew) await domains.confirm(candidate, { due_at, failing_since });
  await pages.markVerified({ ...candidate, _id: candidate.page_id }, candidate._id, true);
  domainChanged(candidate._id);
}

async function unassign({ pages, domainChanged }: DomainDeps, domain: PageDomainDoc): Promise<void> {
  await pages.markVerified({ ...domain, _id: domain.page_id }, domain._id, false);
  domainChanged(domain._id);
}

function domainTaken(): AppError {
  return new AppError('CONFLICT', 'Another status page uses this domain, and DNS still points to it');
}
