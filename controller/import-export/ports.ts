import type { Tenant } from '../accounts/tenant.ts';
import type { ProjectContext } from '../http/route.ts';

export interface NamedGroup {
  _id: string;
  name: string;
  description: string;
  parent_group_id: string | null;
}

export interface GroupWish {
  name?: string;
  description?: string;
  parent_group_id?: string | null;
}

/** What a document asks of the groups. */
export interface ConfigurationGroups {
  /** All of the project, in order of name. */
  all(tenant: Tenant): Promise<NamedGroup[]>;
  create(ctx: ProjectContext, wish: GroupWish & { name: string }): Promise<{ _id: string }>;
  change(ctx: ProjectContext, id: string, wish: GroupWish): Promise<unknown>;
}
