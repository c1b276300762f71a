import { projectRoleOf } from '../http/roles.ts';
import type { MemberStore } from './member-store.ts';
import type { ProjectStore } from './project-store.ts';
import type { UserStore } from './user-store.ts';

export interface AssigneeDeps {
  members: MemberStore;
  projects: ProjectStore;
  users: UserStore;
}

/** Finds people that something of a project can be given to. */
export class Assignees {
  readonly #deps: AssigneeDeps;

  constructor(deps: AssigneeDeps) {
    this.#deps = deps;
  }

  /** The person, when it is a member of the organization with access to the project; else null. */
  async assignee(tenant: { organizationId: string; projectId: string }, userId: string): Promise<{ id: string; name: string } | null> {
    const { members, projects, users } = this.#deps;
    const [memberships, project, user] = await Promise.all([members.listOfUser(userId), projects.find(tenant.projectId), users.find(userId)]);
    const member = memberships.find((one) => one.organization_id === tenant.organizationId);
    if (!member || !project || !user || project.organization_id !== tenant.organizationId) return null;
    return projectRoleOf(member, project) === null ? null : { id: user._id, name: user.name };
  }
}
