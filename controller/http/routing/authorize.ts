import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { hashSecret } from '../../../shared/ids.ts';
import {
  type Membership, type OrganizationRole, type ProjectRole, projectRoleOf, reachesOrganizationRole,
  reachesProjectRole,
} from '../../access/tenant.ts';
import { AppError } from '../../errors/app-error.ts';
import { UUID } from '../input/validation.ts';
import type { CredentialReader, TenantReader } from './ports.ts';
import type { Auth, Caller, KeyActor, PathProjectAuth, PublicContext } from './route.ts';

/** A credential as the request sent it. */
interface Credential {
  kind: 'session' | 'key';
  /** May be empty. */
  text: string;
}

const API_KEY = /^fw_[0-9a-f]{64}$/;

/**
 * The effective credential; null without one. A bearer token wins over an API key, and a key over the token
 * in `cookie`. `cookie` is null for requests that must not use it. `acceptsBearerKey`: a bearer token may be
 * an API key.
 */
export function credentialOf(
  headers: IncomingHttpHeaders, cookie: SessionCookie | null, acceptsBearerKey = false,
): Credential | null {
  const key = headers['x-api-key'];
  const token = bearerOf(headers) ?? (key === undefined ? cookie?.read(headers) : null) ?? null;
  if (acceptsBearerKey && token !== null && API_KEY.test(token)) return { kind: 'key', text: token };
  if (token !== null) return { kind: 'session', text: token };
  return key === undefined ? null : { kind: 'key', text: String(key).trim() };
}

/**
 * Authenticates the request; null without credentials. Never falls back from a bad credential to a good one.
 * Throws MISSING_API_KEY for an empty key, or the reader's error.
 */
export async function authenticate(
  reader: CredentialReader, credential: Credential | null, now: number,
): Promise<Caller | null> {
  if (credential === null) return null;
  const { kind, text } = credential;
  if (kind === 'session') return reader.readSession(text, now);
  if (text === '') throw new AppError('MISSING_API_KEY', 'X-API-Key is empty');
  return reader.readKey(text, now);
}

/** Throws MISSING_AUTH without a bearer token, INVALID_TOKEN if it isn't `token`. */
export function requireBearer(headers: IncomingHttpHeaders, token: string): void {
  const sent = bearerOf(headers);
  if (sent === null) throw new AppError('MISSING_AUTH', 'Send the token as Authorization: Bearer');
  // Comparing hashes leaks nothing through timing: they differ at an unpredictable position.
  if (hashSecret(sent) !== hashSecret(token)) throw new AppError('INVALID_TOKEN', 'The token is not valid');
}

/** The bearer token, possibly empty; null without one. */
function bearerOf({ authorization = '' }: IncomingHttpHeaders): string | null {
  const bearer = /^bearer(?:\s+(.*))?$/is.exec(authorization.trim());
  return bearer === null ? null : (bearer[1] ?? '').trim();
}

/** The id of the user who sent the request, or who created its API key. */
export function authorOf(caller: Caller): string {
  return caller.kind === 'session' ? caller.userId : caller.createdBy;
}

export type GrantedContext = PublicContext & {
  tenant?: { organizationId: string; projectId?: string };
  role?: OrganizationRole | ProjectRole;
};

/**
 * Builds the context that `auth` requires. Checks run in the order that the API documents: credentials,
 * verified email address, type of credentials, scope, organization, project, role.
 */
export async function authorize(
  tenants: TenantReader, auth: Exclude<Auth, PathProjectAuth>, caller: Caller | null,
  request: IncomingMessage, base: PublicContext,
): Promise<GrantedContext> {
  if (auth.access === 'public') return base;
  if (caller === null) {
    throw new AppError('MISSING_AUTH', 'Authentication is required: send X-API-Key or Authorization: Bearer');
  }
  const { method, headers } = request;
  checkKind(auth, caller, method);
  const projectId = projectHeader(headers['x-project-id']) ?? onlyProjectOf(caller);
  const granted = { ...base, actor: caller };
  if (auth.access === 'operator') return granted;
  if (auth.access === 'account') {
    if (auth.organization === undefined) return granted;
    const { organization_id: organizationId, role } = await membershipOf(tenants, caller, headers);
    const needed = auth.organization;
    if (!reachesOrganizationRole(role, needed)) throw insufficient(`organization ${needed}`);
    return { tenant: { organizationId }, role, ...granted };
  }
  const [membership, named] = await Promise.all([
    membershipOf(tenants, caller, headers), projectId === null ? null : tenants.projects.find(projectId),
  ]);
  const { organization_id: organizationId } = membership;
  const project = projectId === null ? await tenants.projects.findDefault(organizationId) : named;
  if (project === null) throw new AppError('PROJECT_NOT_FOUND', 'Project not found');
  if (project.organization_id !== organizationId) {
    const message = 'X-Project-ID names a project in another organization';
    throw new AppError('PROJECT_ORGANIZATION_MISMATCH', message);
  }
  requireCovered(caller, project._id);
  const role = projectRoleOf(membership, project);
  if (role === null || !reachesProjectRole(role, auth.role)) throw insufficient(`project ${auth.role}`);
  return { tenant: { organizationId, projectId: project._id }, role, ...granted };
}

/** Throws EMAIL_NOT_VERIFIED, INSUFFICIENT_PERMISSIONS, JWT_REQUIRED or READ_ONLY_API_KEY. */
export function checkKind(auth: Exclude<Auth, { access: 'public' }>, caller: Caller, method = 'GET'): void {
  if (caller.kind === 'session') {
    const needsVerified = auth.access !== 'account' || auth.verified !== false;
    if (needsVerified && !caller.isVerified) {
      throw new AppError('EMAIL_NOT_VERIFIED', 'The email address of this account is not verified');
    }
    if (auth.access === 'operator' && !caller.isOperator) throw insufficient('instance operator');
    return;
  }
  if (!acceptsKeys(auth)) {
    throw new AppError('JWT_REQUIRED', 'This endpoint requires a session token; API keys are not accepted');
  }
  if (caller.scope === 'read' && method !== 'GET' && method !== 'HEAD') {
    throw new AppError('READ_ONLY_API_KEY', 'This API key is read-only');
  }
}

export function acceptsKeys(auth: Auth): boolean {
  if (auth.access === 'path-project') return true;
  return auth.access === 'project' ? auth.keys !== false : auth.access === 'account' && auth.keys === true;
}

export function insufficient(needed: string): AppError {
  return new AppError('INSUFFICIENT_PERMISSIONS', `You need the role ${needed}`);
}

/**
 * An API key belongs to one organization. A session uses its oldest one unless `X-Organization-ID` names
 * another.
 */
async function membershipOf(
  tenants: TenantReader, caller: Caller, headers: IncomingHttpHeaders,
): Promise<Membership> {
  if (caller.kind === 'key') return membershipOfKey(caller);
  const memberships = await tenants.members.listOfUser(caller.userId);
  const named = headers['x-organization-id'];
  if (named === undefined) {
    if (memberships[0] !== undefined) return memberships[0];
    throw new AppError('ORGANIZATION_NOT_FOUND', 'This account does not belong to an organization');
  }
  const id = String(named).trim().toLowerCase();
  const chosen = memberships.find((membership) => membership.organization_id === id);
  if (chosen !== undefined) return chosen;
  if (UUID.test(id) && (await tenants.organizations.find(id)) !== null) {
    const message = 'X-Organization-ID names an organization that this account does not belong to';
    throw new AppError('ORGANIZATION_MISMATCH', message);
  }
  throw new AppError('ORGANIZATION_NOT_FOUND', 'Organization not found');
}

export function membershipOfKey({ organizationId, scope }: KeyActor): Membership {
  return { organization_id: organizationId, role: scope === 'read' ? 'viewer' : 'admin', project_roles: {} };
}

/** Without X-Project-ID, a key for a single project means that project. */
function onlyProjectOf(caller: Caller): string | null {
  return caller.kind === 'key' && caller.projectIds?.length === 1 ? caller.projectIds[0] as string : null;
}

/** Whether the caller's credential may be used in the project at all. */
export function coversProject(caller: Caller, projectId: string): boolean {
  return caller.kind !== 'key' || (caller.projectIds?.includes(projectId) ?? true);
}

/** Throws ACCESS_DENIED for a key of other projects. */
export function requireCovered(caller: Caller, projectId: string): void {
  if (coversProject(caller, projectId)) return;
  throw new AppError('ACCESS_DENIED', 'This API key is for other projects; name one of them in X-Project-ID');
}

/** The project id in the header, in lower case; null without one. Throws INVALID_PROJECT_ID. */
export function projectHeader(value: string | string[] | undefined): string | null {
  if (value === undefined) return null;
  const id = String(value).trim();
  if (!UUID.test(id)) throw new AppError('INVALID_PROJECT_ID', 'X-Project-ID must be a UUID');
  return id.toLowerCase();
}

const NAME = 'farwatch_session';

/** The session cookie of browsers: no script can read it, and other sites can't use it. */
export class SessionCookie {
  readonly #name: string;
  readonly #attributes: string;
  readonly #origin: string | null;

  /** @param baseUrl public URL of the API from BASE_URL; null if unset */
  constructor(baseUrl: string | null) {
    const base = baseUrl === null ? null : new URL(baseUrl);
    const isSecure = base?.protocol === 'https:';
    const path = base?.pathname.replace(/\/+$/, '') || '/';
    // Browsers accept a cookie with __Host- only from this host, not from its subdomains, and only for `/`.
    const prefix = path === '/' ? '__Host-' : '__Secure-';
    this.#name = isSecure ? `${prefix}${NAME}` : NAME;
    this.#attributes = `; Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
    this.#origin = base?.origin ?? null;
  }

  /**
   * Whether the request comes from a page of this origin that uses the cookie. Forms, images and links can't
   * send the header, and no preflight allows it to scripts of other origins. The Origin header, if any, must
   * match.
   */
  appliesTo(headers: IncomingHttpHeaders): boolean {
    const { 'x-farwatch-session': mode, 'sec-fetch-site': site, origin } = headers;
    if (mode !== 'cookie') return false;
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
    if (origin === undefined) return true;
    const host = headers.host?.toLowerCase();
    // A proxy may replace Host; BASE_URL then names the public origin.
    return [this.#origin, `http://${host}`, `https://${host}`].includes(origin);
  }

  /** The session token; null without one. */
  read({ cookie = '' }: IncomingHttpHeaders): string | null {
    const start = `${this.#name}=`;
    const found = cookie.split(';').map((pair) => pair.trim()).find((pair) => pair.startsWith(start));
    return found?.slice(start.length) || null;
  }

  /** The Set-Cookie value that stores a token for `durationMs`. */
  setCookie(token: string, durationMs: number): string {
    return `${this.#name}=${token}${this.#attributes}; Max-Age=${Math.floor(durationMs / 1000)}`;
  }

  /** The Set-Cookie value that removes the token. */
  get clearCookie(): string {
    return this.setCookie('', 0);
  }
}
