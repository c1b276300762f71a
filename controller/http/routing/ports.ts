import type { Membership, ProjectFacts } from '../../access/tenant.ts';
import type { RouteResponse, KeyActor, PublicContext, Route, SessionActor } from './route.ts';

/** Reads credentials on every request, so that a revocation takes effect at once. */
export interface CredentialReader {
  /** Throws INVALID_TOKEN or TOKEN_EXPIRED. */
  readSession(token: string, now: number): Promise<SessionActor>;
  /** Throws INVALID_API_KEY. */
  readKey(key: string, now: number): Promise<KeyActor>;
}

export interface TenantReader {
  /** Oldest first. */
  members: { listOfUser(userId: string): Promise<Membership[]> };
  organizations: { find(organizationId: string): Promise<object | null> };
  projects: {
    /** A project of any organization; null if it doesn't exist. */
    find(projectId: string): Promise<ProjectFacts | null>;
    /** Null if the organization was deleted. */
    findDefault(organizationId: string): Promise<ProjectFacts | null>;
  };
}

export interface HandledRequest {
  /** What the audit log calls it. */
  action: string;
  route: Route;
  context: PublicContext & { tenant?: { organizationId: string; projectId?: string } };
  params: Record<string, string>;
  /** Unparsed, as sent. */
  query: Record<string, string>;
  body: unknown;
  response: RouteResponse;
}

/** Logs the successes of requests. Never rejects: the change is already made. */
export interface AuditRecorder {
  record(request: HandledRequest): Promise<void>;
}
