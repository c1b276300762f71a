import type { Db } from 'mongodb';
import type { Tenant } from '../../access/tenant.ts';
import { Documents } from '../../platform/mongo/documents.ts';

/** The dependencies that a monitor is about to get. */
export interface NewDependencies {
  monitor_id: string;
  depends_on: string[];
}

/** Dependencies that a request checked and is about to write. */
interface PendingDependencies {
  token: string;
  /** Unix ms. By then, the request is no longer running. */
  expires_at: number;
  monitors: NewDependencies[];
}

/** A document of `dependency_changes`; `_id` is the project. */
interface DependencyChangesDoc {
  _id: string;
  organization_id: string;
  /** Increases with every change of `pending`. */
  revision: number;
  pending: PendingDependencies[];
}

/**
 * Collection `dependency_changes`: the dependencies that requests are about to write in each project, so that
 * two requests cannot form a cycle together.
 */
export class DependencyChangeStore extends Documents<DependencyChangesDoc> {
  constructor(db: Db) {
    super(db, 'dependency_changes');
  }

  async read(tenant: Tenant): Promise<Pick<DependencyChangesDoc, 'revision' | 'pending'>> {
    const found = await this.findOne(changesOf(tenant));
    if (found !== null) return found;
    const first = { ...changesOf(tenant), revision: 0, pending: [] };
    return (await this.insertIfFree(first)) ? first : this.read(tenant);
  }

  /** False if another request changed them since `revision` was read. */
  replace(tenant: Tenant, revision: number, pending: PendingDependencies[]): Promise<boolean> {
    return this.update({ ...changesOf(tenant), revision }, { $set: { pending }, $inc: { revision: 1 } });
  }
}

function changesOf({ organizationId, projectId }: Tenant): { _id: string; organization_id: string } {
  return { _id: projectId, organization_id: organizationId };
}
