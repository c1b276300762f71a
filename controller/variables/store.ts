import type { Db, Filter } from 'mongodb';
import { ownedBy, type Tenant } from '../access/tenant.ts';
import { MAX_VARIABLES, type VariableDoc } from '../monitors/variable.ts';
import { Documents } from '../platform/mongo/documents.ts';
import { isDuplicateKey } from '../platform/mongo/mongo-errors.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

const CHANGED_BATCH_SIZE = 100;

export type VariableChange =
  Pick<VariableDoc, 'name' | 'value' | 'is_secret' | 'managed_by' | 'updated_at' | 'changed_at'>;

/** Collection `variables`: the values of secret ones are encrypted. */
export class VariableStore extends Documents<VariableDoc> {
  readonly #secrets: SecretBox;

  constructor(db: Db, secrets: SecretBox) {
    super(db, 'variables', [
      // Lists a project's variables by name, and keeps names unique.
      { key: { organization_id: 1, project_id: 1, name: 1 }, name: 'by_name', unique: true },
      // Finds those whose monitors are not marked yet: nearly always empty.
      { key: { changed_at: 1 }, name: 'changed', sparse: true },
    ], (doc) => {
      const { is_secret: isSecret, value, _id } = doc;
      doc.value = isSecret && typeof value === 'string' ? secrets.open(value, _id) : (value ?? null);
      return doc;
    });
    this.#secrets = secrets;
  }

  list(tenant: Tenant): Promise<VariableDoc[]> {
    return this.select(ownedBy(tenant)).sort({ name: 1 }).limit(2 * MAX_VARIABLES).toArray();
  }

  countOf(tenant: Tenant): Promise<number> {
    return this.count(ownedBy(tenant));
  }

  find(tenant: Tenant, id: string): Promise<VariableDoc | null> {
    return this.findOne({ ...ownedBy(tenant), _id: id });
  }

  /** Of all tenants. */
  async findMany(ids: string[]): Promise<VariableDoc[]> {
    return this.select({ _id: { $in: ids } }).toArray();
  }

  /** False if the project has a variable with this name. */
  override insertIfFree(doc: VariableDoc): Promise<boolean> {
    return super.insertIfFree(this.#sealed(doc));
  }

  /** Stores those again that were deleted since they were read. */
  async keep(variables: readonly VariableDoc[]): Promise<void> {
    const kept = new Set((await this.findMany(variables.map(({ _id }) => _id))).map(({ _id }) => _id));
    await Promise.all(variables.filter(({ _id }) => !kept.has(_id)).map((one) => this.insertIfFree(one)));
  }

  /** Null if it has changed since `seen` was read; `taken` if another one has the name. */
  async revise(seen: VariableDoc, change: VariableChange): Promise<VariableDoc | null | 'taken'> {
    const { value } = this.#sealed({ ...seen, ...change });
    const next = { ...change, value, revision: seen.revision + 1 };
    try {
      return await this.change(sameRevision(seen), { $set: next });
    } catch (error) {
      if (isDuplicateKey(error)) return 'taken';
      throw error;
    }
  }

  /** False if it has changed since it was read, or is gone. */
  removeIfUnchanged(seen: VariableDoc): Promise<boolean> {
    return this.remove(sameRevision(seen));
  }

  /** Those whose monitors are not marked yet. */
  changed(): Promise<VariableDoc[]> {
    const marked = this.select({ changed_at: { $gt: 0 } });
    return marked.sort({ changed_at: 1 }).limit(CHANGED_BATCH_SIZE).toArray();
  }

  /** Unless its value changed again. */
  async clearChanged({ _id, changed_at }: VariableDoc): Promise<void> {
    await this.update({ _id, changed_at: changed_at as number }, { $unset: { changed_at: '' } });
  }

  #sealed(doc: VariableDoc): VariableDoc {
    const { value, is_secret: isSecret, _id } = doc;
    return isSecret && value !== null ? { ...doc, value: this.#secrets.seal(value, _id) } : doc;
  }
}

function sameRevision({ _id, organization_id, project_id, revision }: VariableDoc): Filter<VariableDoc> {
  return { _id, organization_id, project_id, revision };
}
