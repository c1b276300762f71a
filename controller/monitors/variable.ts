import type { Managed } from '../access/managed.ts';
import type { Tenant } from '../access/tenant.ts';

/** Limit per project. */
export const MAX_VARIABLES = 100;

/** A document of `variables`, with its value decrypted. Instants are Unix ms. */
export interface VariableDoc extends Managed {
  _id: string;
  organization_id: string;
  project_id: string;
  /** Unique in the project. */
  name: string;
  /** Null if it was encrypted with a key that is lost. */
  value: string | null;
  is_secret: boolean;
  /** Increases with every change. */
  revision: number;
  /** When its value changed, until the monitors that use it have been marked for it. */
  changed_at?: number;
  created_by: string;
  created_at: number;
  updated_at: number;
}

export interface VariableLookup {
  /** All variables of the project, by name. */
  list(tenant: Tenant): Promise<VariableDoc[]>;
  /** Stores those again that were deleted since they were read, because a monitor uses them now. */
  keep(variables: readonly VariableDoc[]): Promise<void>;
}
