import { useState } from 'preact/hooks';
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
import { useForm } from '../ui/use-form.ts';

/** The organization's name and its id for the API. */
export function OrganizationSettings() {
  const own = organization.value;
  const [name, setName] = useState(own?.name ?? '');
  const { onSubmit, error, isBusy } = useForm(async () => {
    await unwrap(api.PATCH('/api/organization', { body: { name } }));
    await readSession();
    toast(texts.saved);
  });
  if (own === null) return null;
  return (
    <Section title={texts.organization}>
      <form class="card" onSubmit={onSubmit}>
        <TextField
          label={texts.name} required maxLength={100} value={name} onValue={setName} readOnly={!canAdminister.value}
          error={fieldErrorsOf(error).at('name')}
        />
        <dl class="facts">
          <dt>{texts.ownRole}</dt><dd>{texts[own.role]}</dd>
          <dt>{texts.organizationId}</dt><dd><CopyLine text={own.id} label={texts.organizationId} /></dd>
        </dl>
        <ErrorNote error={error} />
        {canAdminister.value && (
          <div class="actions">
            <Button type="submit" variant="primary" isBusy={isBusy} disabled={name === own.name}>{shellTexts.save}</Button>
          </div>
        )}
      </form>
    </Section>
  );
}
