import { TryIt } from '../rehearsal/try-it.tsx';
import { rehearsalTexts } from '../texts/rehearsal.ts';
import { useFormField } from './form-context.ts';
import type { Quorum } from './policy.ts';

/** Tries the unsaved confirmation policy of an existing monitor. */
export function PolicyRehearsal({ monitorId }: { monitorId: string }) {
  const { value: regions } = useFormField<Quorum>('confirmation_policy.regions');
  const { value: retries } = useFormField<number | null>('confirmation_policy.retries');
  const { value: recoveries } = useFormField<number | null>('confirmation_policy.recoveries');
  const policy = { regions, retries: retries ?? 0, recoveries: recoveries ?? 0 };
  return <TryIt input={{ monitor_ids: [monitorId], confirmation_policy: policy }} text={rehearsalTexts.policyText} />;
}
