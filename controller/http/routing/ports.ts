import type { Membership, ProjectFacts } from '../../accounts/roles.ts';
import type { RouteResponse, KeyActor, PublicContext, Route, SessionActor } from './route.ts';

/** Reads credentials at every request, so that a revocation takes effect at once. */
export interface CredentialReader {
  /** Throws INVALID_TOKEN or TOKEN_EXPIRED. */
  readSession(token: string, now: number): Promise<SessionActor>;
  /** Throws INVALID_API_KEY. */
  readKey(key: string, now: number): Promise<KeyActor>;
}

export interface TenantReader {
  /** Oldest first. */
  memberships(userId: string): Promise<Membership[]>;
  hasOrganization(organizationId: string): Promise<boolean>;
  /** A project of any organization, or null. */
  project(projectId: string): Promise<ProjectFacts | null>;
  /** Null if the organization is gone. */
  defaultProject(organizationId: string): Promise<ProjectFacts | null>;
}

export interface HandledRequest {
  route: Route;
  context: PublicContext & { tenant?: { organizationId: string; projectId?: string } };
  params: Record<string, string>;
  /** As they were sent, before their schemas. */
  query: Record<string, string>;
  body: unknown;
  response: RouteResponse;
}

/** Logs successes of routes that declare `audit`. Never rejects: the change is made, logged or not. */
export interface AuditRecorder {
  record(request: HandledRequest): Promise<void>;
}
