import { isoTime } from '../../shared/time.ts';
import type { VariableDoc } from '../monitors/variable.ts';

/** Never contains the value of a secret. */
export function viewVariable(
  { _id: id, name, value, is_secret, managed_by = null, created_at, updated_at }: VariableDoc,
) {
  return {
    id, name, value: is_secret ? null : value, is_secret, managed_by,
    created_at: isoTime(created_at), updated_at: isoTime(updated_at),
  };
}
