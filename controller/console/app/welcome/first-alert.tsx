import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fieldErrorsOf } from '../api/api-error.ts';
import { unwrap, api } from '../api/client.ts';
import type { paths } from '../api/openapi.d.ts';
import { me } from '../api/session.ts';
import { welcomeTexts } from '../texts/welcome.ts';
import { Button, LinkButton } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import { useForm } from '../ui/use-form.ts';

type Destination = paths['/api/integrations']['get']['responses']['200']['content']['application/json']['data']['integrations'][number];
type TestResult = paths['/api/integrations/{id}/test']['post']['responses']['200']['content']['application/json']['data'];
const KINDS = ['email', 'slack', 'webhook'] as const;
type Kind = (typeof KINDS)[number];

/** The API's field for the address of each type. */
const FIELDS: Record<Kind, string> = { email: 'config.to', slack: 'config.webhook_url', webhook: 'config.url' };

/** Creates the default destination and sends it a test alert. */
export function FirstAlert({ existing }: { existing: Destination | null }) {
  const queries = useQueryClient();
  const [kind, setKind] = useState<Kind>('email');
  const [values, setValues] = useState<Record<Kind, string>>({ email: me.value?.user.email ?? '', slack: '', webhook: '' });
  const [testResult, setTestResult] = useState<TestResult | null>(null);
  const test = async (id: string) => setTestResult(await unwrap(api.POST('/api/integrations/{id}/test', { params: { path: { id } } })));
  const create = useForm(async () => {
    const { integration } = await unwrap(api.POST('/api/integrations', { body: { ...settingsOf(kind, values[kind]), name: welcomeTexts[kind], is_default: true } }));
    await queries.invalidateQueries({ queryKey: ['destinations'] });
    await test(integration.id);
  });
  const resend = useForm(async () => {
    if (existing !== null) await test(existing.id);
  });
  if (existing !== null) {
    return (
      <form onSubmit={resend.onSubmit}>
        <p>{welcomeTexts.alertsGoTo(addressOf(existing))}</p>
        {testResult !== null && <TestResultNote testResult={testResult} />}
        <ErrorNote error={create.error ?? resend.error} />
        <div class="actions">
          <Button type="submit" isBusy={resend.isBusy || create.isBusy}>{testResult === null ? welcomeTexts.sendSample : welcomeTexts.sendAgain}</Button>
          <LinkButton href={href(`/destinations/${existing.id}`)}>{welcomeTexts.change}</LinkButton>
        </div>
      </form>
    );
  }
  const kinds = KINDS.map((each) => [each, welcomeTexts[each]] as const);
  return (
    <form onSubmit={create.onSubmit}>
      <div class="fields">
        <SelectField label={welcomeTexts.channel} value={kind} onValue={setKind} options={kinds} />
        <TextField
          label={kind === 'email' ? welcomeTexts.emailAddress : welcomeTexts.url} type={kind === 'email' ? 'email' : 'url'} required
          hint={welcomeTexts[`${kind}Hint`]} value={values[kind]} onValue={(value) => setValues({ ...values, [kind]: value })}
          error={fieldErrorsOf(create.error).at(FIELDS[kind])}
        />
      </div>
      <ErrorNote error={create.error} />
      <div class="actions"><Button type="submit" variant="primary" isBusy={create.isBusy}>{welcomeTexts.createAndSend}</Button></div>
      <p class="small"><a href={href('/destinations/new')}>{welcomeTexts.otherDestinations}</a></p>
    </form>
  );
}

function TestResultNote({ testResult }: { testResult: TestResult }) {
  return (
    <p class={`note ${testResult.delivered ? '' : 'bad'}`} role="status">
      {testResult.delivered ? welcomeTexts.delivered : welcomeTexts.notDelivered(testResult.error_message ?? String(testResult.status_code ?? ''))}
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
  return destination.type === 'webhook' ? destination.config.url : destination.name;
}
