import { useMemo, useRef, useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { TryIt } from '../rehearsal/try-it.tsx';
import { useKeys } from '../shell/keys.ts';
import { editingTexts } from '../texts/editing.ts';
import { rehearsalTexts } from '../texts/rehearsal.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { useForm } from '../ui/use-form.ts';
import { useUnsaved } from '../ui/unsaved.ts';
import { nameOfAddress } from './typed-text.ts';
import { ChangesDialog } from './changes-dialog.tsx';
import { changedPaths } from './draft.ts';
import type { Draft, Path } from './fields.ts';
import { FormContext, useFormField } from './form-context.ts';
import type { Quorum } from './policy.ts';
import { CheckSection, CommonSections, WebSections } from './sections.tsx';
import { TestPanel } from './test-panel.tsx';
import { TypePicker } from './type-picker.tsx';

interface Props {
  initial: Draft;
  /** A new monitor can have any type and is saved directly; changes to an existing one must be confirmed. */
  isNew: boolean;
  /** Of an existing monitor. */
  monitorId?: string;
  save: (draft: Draft, changed: readonly Path[]) => Promise<unknown>;
  cancelHref: string;
}

/** The last failure; its messages are shown at the fields. */
interface Failure {
  error: unknown;
  source: 'form' | 'test';
}

export function MonitorForm({ initial: initialDraft, isNew, monitorId, save, cancelHref }: Props) {
  // Keeps changes by others: the form sends only what differs from the initial values.
  const [initial] = useState(initialDraft);
  const [draft, setDraft] = useState(initial);
  const [isConfirming, setConfirming] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const complete = { ...draft, name: String(draft.name).trim() === '' ? nameOfAddress(String(draft.target)) : draft.name };
  const changed = changedPaths(complete, initial);
  const submit = async () => {
    setSaved(true);
    try {
      await save(complete, changed);
    } catch (error) {
      setSaved(false);
      throw error;
    }
  };
  const recordFailure = (source: Failure['source']) => (error: unknown) => {
    setFailure({ error, source });
    throw error;
  };
  const submission = useForm(async () => {
    setFailure(null);
    if (isNew) await submit().catch(recordFailure('form'));
    else if (changed.length > 0) setConfirming(true);
  });
  const test = async (send: () => Promise<unknown>) => {
    setFailure(null);
    await send().catch(recordFailure('test'));
  };
  // Field errors are shown at the fields, not in the dialog above them.
  const confirm = () => submit().catch((error: unknown) => {
    if (fieldErrorsOf(error).isEmpty) throw error;
    setConfirming(false);
    setFailure({ error, source: 'form' });
  });
  useUnsaved(!isSaved && changed.length > 0);
  useKeys([{ keys: '$mod+Enter', text: shellTexts.save, run: () => form.current?.requestSubmit(), everywhere: true }]);
  const fieldErrors = fieldErrorsOf(failure?.error);
  const context = useMemo(() => ({
    draft, fieldErrors, set: (path: Path, value: unknown) => setDraft((before) => ({ ...before, [path]: value })),
  }), [draft, failure]);
  const { type } = draft;
  return (
    <FormContext.Provider value={context}>
      <form ref={form} onSubmit={submission.onSubmit} onInvalidCapture={reveal} class="monitor-form">
        {isNew && <TypePicker value={type} onValue={(chosen) => setDraft({ ...draft, type: chosen })} />}
        <CheckSection type={type} />
        {(type === 'HTTP' || type === 'KEYWORD') && <WebSections />}
        <CommonSections type={type} />
        {monitorId !== undefined && type !== 'HEARTBEAT' && <PolicyRehearsal monitorId={monitorId} />}
        {type !== 'HEARTBEAT' && <TestPanel draft={complete} error={failure?.source === 'test' ? failure.error : null} attempt={test} />}
        {failure?.source === 'form' && <ErrorNote error={failure.error} />}
        <div class="form-foot">
          <LinkButton href={cancelHref}>{shellTexts.cancel}</LinkButton>
          <Button type="submit" variant="primary" isBusy={submission.isBusy} disabled={!isNew && changed.length === 0}>
            {isNew ? editingTexts.create : editingTexts.review(changed.length)}
          </Button>
        </div>
      </form>
      {isConfirming && (
        <ChangesDialog before={initial} after={complete} paths={changed} save={confirm} onClose={() => setConfirming(false)} />
      )}
    </FormContext.Provider>
  );
}

/** Browsers can only point at an invalid field that is visible. */
function reveal({ target }: Event): void {
  if (target instanceof Element) target.closest('details')?.setAttribute('open', '');
}

/** Tests the unsaved confirmation policy of an existing monitor on past results. */
function PolicyRehearsal({ monitorId }: { monitorId: string }) {
  const { value: regions } = useFormField<Quorum>('confirmation_policy.regions');
  const { value: retries } = useFormField<number | null>('confirmation_policy.retries');
  const { value: recoveries } = useFormField<number | null>('confirmation_policy.recoveries');
  const policy = { regions, retries: retries ?? 0, recoveries: recoveries ?? 0 };
  return <TryIt input={{ monitor_ids: [monitorId], confirmation_policy: policy }} text={rehearsalTexts.policyText} />;
}
