import { useState } from 'preact/hooks';
import { useMutation } from '@tanstack/preact-query';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import { canAdminister, organization, readSession } from '../api/session.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { TextField } from '../ui/field.tsx';
import { Section } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';

/** The organization's name and its id for the API. */
export function OrganizationSettings() {
  const own = organization.value;
  const [name, setName] = useState(own?.name ?? '');
  const rename = useMutation({
    mutationFn: () => unwrap(api.PATCH('/api/organization', { body: { name } })),
    onSuccess: async () => {
      await readSession();
      toast(texts.saved);
    },
  });
  if (own === null) return null;
  return (
    <Section title={texts.organization}>
      <form
        class="card" onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <TextField
          label={texts.name} required maxLength={100} value={name} onValue={setName} readOnly={!canAdminister.value}
          error={fieldErrorsOf(rename.error).at('name')}
        />
        <dl class="facts">
          <dt>{texts.ownRole}</dt><dd>{texts[own.role]}</dd>
          <dt>{texts.organizationId}</dt><dd><CopyLine text={own.id} label={texts.organizationId} /></dd>
        </dl>
        <ErrorNote error={rename.error} />
        {canAdminister.value && (
          <div class="actions">
            <Button type="submit" variant="primary" isBusy={rename.isPending} disabled={name === own.name}>{shellTexts.save}</Button>
          </div>
        )}
      </form>
    </Section>
  );
}
