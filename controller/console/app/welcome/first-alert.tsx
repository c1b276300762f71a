import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fieldsOf } from '../api/api-error.ts';
import { answer, api } from '../api/client.ts';
import type { paths } from '../api/openapi.d.ts';
import { me } from '../session/session.ts';
import { welcomeTexts } from '../texts/welcome.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import { useForm } from '../ui/use-form.ts';

type Destination = paths['/api/integrations']['get']['responses']['200']['content']['application/json']['data']['integrations'][number];
type Sample = paths['/api/integrations/{id}/test']['post']['responses']['200']['content']['application/json']['data'];
type Kind = Destination['type'];

/** Where the API expects the address of each kind. */
const FIELDS: Record<Kind, string> = { email: 'config.to', slack: 'config.webhook_url', webhook: 'config.url' };

/** Makes the destination of all alerts, and sends a sample there at once. */
export function FirstAlert({ present }: { present: Destination | null }) {
  const queries = useQueryClient();
  const [kind, setKind] = useState<Kind>('email');
  const [values, setValues] = useState<Record<Kind, string>>({ email: me.value?.user.email ?? '', slack: '', webhook: '' });
  const [sample, setSample] = useState<Sample | null>(null);
  const test = async (id: string) => setSample(await answer(api.POST('/api/integrations/{id}/test', { params: { path: { id } } })));
  const create = useForm(async () => {
    const { integration } = await answer(api.POST('/api/integrations', { body: { ...settingsOf(kind, values[kind]), name: welcomeTexts[kind], is_default: true } }));
    await queries.invalidateQueries({ queryKey: ['destinations'] });
    await test(integration.id);
  });
  const again = useForm(async () => {
    if (present !== null) await test(present.id);
  });
  if (present !== null) {
    return (
      <form onSubmit={again.onSubmit}>
        <p>{welcomeTexts.tells(addressOf(present))}</p>
        {sample !== null && <SampleResult sample={sample} />}
        <ErrorNote error={create.error ?? again.error} />
        <div class="actions">
          <Button type="submit" isBusy={again.isBusy || create.isBusy}>{sample === null ? welcomeTexts.sendSample : welcomeTexts.sendAgain}</Button>
          <LinkButton href={href(`/destinations/${present.id}`)}>{welcomeTexts.change}</LinkButton>
        </div>
      </form>
    );
  }
  const kinds = (['email', 'slack', 'webhook'] as const).map((each) => [each, welcomeTexts[each]] as const);
  return (
    <form onSubmit={create.onSubmit}>
      <div class="fields">
        <SelectField label={welcomeTexts.by} value={kind} onValue={setKind} options={kinds} />
        <TextField
          label={kind === 'email' ? welcomeTexts.emailAddress : welcomeTexts.url} type={kind === 'email' ? 'email' : 'url'} required
          hint={welcomeTexts[`${kind}Hint`]} value={values[kind]} onValue={(value) => setValues({ ...values, [kind]: value })}
          error={fieldsOf(create.error).at(FIELDS[kind])}
        />
      </div>
      <ErrorNote error={create.error} />
      <div class="actions"><Button type="submit" variant="primary" isBusy={create.isBusy}>{welcomeTexts.createAndSend}</Button></div>
    </form>
  );
}

function SampleResult({ sample }: { sample: Sample }) {
  return (
    <p class={`note ${sample.delivered ? '' : 'bad'}`} role="status">
      {sample.delivered ? welcomeTexts.delivered : welcomeTexts.notDelivered(sample.error_message ?? String(sample.status_code ?? ''))}
    </p>
  );
}

function settingsOf(kind: Kind, value: string) {
  const text = value.trim();
  if (kind === 'email') return { type: kind, config: { to: text.split(/[\s,;]+/).filter(Boolean) } } as const;
  if (kind === 'slack') return { type: kind, config: { webhook_url: text } } as const;
  return { type: kind, config: { url: text } } as const;
}

function addressOf(destination: Destination): string {
  if (destination.type === 'email') return destination.config.to.join(', ');
  return destination.type === 'slack' ? destination.name : destination.config.url;
}
