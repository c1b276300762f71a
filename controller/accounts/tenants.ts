import type { Membership, ProjectFacts, TenantReader } from '../http/access.ts';
import type { MemberDoc, ProjectDoc } from './account.ts';
import type { MemberStore } from './member-store.ts';
import type { OrganizationStore } from './organization-store.ts';
import type { ProjectStore } from './project-store.ts';

export interface TenantDeps {
  members: MemberStore;
  organizations: OrganizationStore;
  projects: ProjectStore;
}

/** Reads organizations, memberships and projects from the database at every request. */
export class Tenants implements TenantReader {
  readonly #deps: TenantDeps;

  constructor(deps: TenantDeps) {
    this.#deps = deps;
  }

  async memberships(userId: string): Promise<Membership[]> {
    return (await this.#deps.members.listOfUser(userId)).map(toMembership);
  }

  async hasOrganization(organizationId: string): Promise<boolean> {
    return (await this.#deps.organizations.find(organizationId)) !== null;
  }

  async project(projectId: string): Promise<ProjectFacts | null> {
    return toFacts(await this.#deps.projects.find(projectId));
  }

  async defaultProject(organizationId: string): Promise<ProjectFacts | null> {
    return toFacts(await this.#deps.projects.findDefault(organizationId));
  }
}

export function toMembership(doc: MemberDoc): Membership {
  return { organizationId: doc.organization_id, role: doc.role, projectRoles: doc.project_roles };
}

function toFacts(doc: ProjectDoc | null): ProjectFacts | null {
  return doc === null ? null : { id: doc._id, organizationId: doc.organization_id, isDefault: doc.is_default };
}
