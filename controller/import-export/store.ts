import type { Db } from 'mongodb';
import type { Tenant } from '../access/tenant.ts';
import { Documents } from '../platform/mongo/documents.ts';
import { claimedAs, type Claimable, type WorkClaim } from '../work/claimed-work.ts';

/** A document of `import_turns`; `_id` is the project. */
interface ImportTurnDoc extends Claimable {
  organization_id: string;
}

/** Collection `import_turns`: which controller is importing into a project. */
export class ImportTurnStore extends Documents<ImportTurnDoc> {
  constructor(db: Db) {
    super(db, 'import_turns');
  }

  async read(tenant: Tenant): Promise<ImportTurnDoc> {
    const found = await this.findOne(turnOf(tenant));
    if (found !== null) return found;
    const first = turnOf(tenant);
    return (await this.insertIfFree(first)) ? first : this.read(tenant);
  }

  /** False if another import has claimed the project since `seen` was read. */
  claim(seen: ImportTurnDoc, claim: WorkClaim): Promise<boolean> {
    return this.update({ ...claimedAs(seen), organization_id: seen.organization_id }, { $set: { claim } });
  }

  async release(tenant: Tenant, { token }: WorkClaim): Promise<void> {
    await this.update({ ...turnOf(tenant), 'claim.token': token }, { $unset: { claim: '' } });
  }
}

function turnOf({ organizationId, projectId }: Tenant): ImportTurnDoc {
  return { _id: projectId, organization_id: organizationId };
}
