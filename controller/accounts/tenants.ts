import type { TenantReader } from '../http/ports.ts';
import type { AccountStores } from './deps.ts';

/** What the HTTP edge reads of organizations and projects. */
export function readTenants({ members, organizations, projects }: AccountStores): TenantReader {
  return {
    memberships: (userId) => members.listOfUser(userId),
    hasOrganization: async (organizationId) => (await organizations.find(organizationId)) !== null,
    project: (projectId) => projects.find(projectId),
    defaultProject: (organizationId) => projects.findDefault(organizationId),
  };
}
