import { useInfiniteQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { unwrap, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { me, organization } from '../api/session.ts';
import { lifetimeTexts } from '../texts/lifetime.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { Checkbox, SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Expiry, expiryOf, LifetimeField, UNLIMITED } from '../ui/lifetime.tsx';
import { QueryResult } from '../ui/loading.tsx';
import { Empty, Section } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';

type Key = components['schemas']['ApiKey'];
type Scope = Key['scope'];
type OpenDialog = { kind: 'create' } | { kind: 'rotate' | 'revoke'; key: Key } | { kind: 'shown'; name: string; secret: string };

const QUERY_KEY = ['settings', 'keys'];
const PAGE_SIZE = 100;
const refresh = () => queries.invalidateQueries({ queryKey: QUERY_KEY });

/** The organization's API keys. A key is shown only once, when it is created. */
export function ApiKeys() {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const query = useInfiniteQuery({
    queryKey: QUERY_KEY, initialPageParam: 0,
    queryFn: ({ pageParam: offset }) => unwrap(api.GET('/api/auth/api-keys', { params: { query: { offset, limit: PAGE_SIZE } } })),
    getNextPageParam: ({ offset, limit, has_more: hasMore }) => (hasMore ? offset + limit : undefined),
  });
  const create = () => setOpenDialog({ kind: 'create' });
  // Closing the creation dialog must not close the dialog that shows the new key.
  const close = () => setOpenDialog((current) => (current?.kind === 'shown' ? current : null));
  const showSecret = ({ name, key: secret }: { name: string; key: string }) => {
    setOpenDialog({ kind: 'shown', name, secret });
    void refresh();
  };
  return (
    <Section title={texts.keys} actions={<Button variant="primary" onClick={create}>{texts.newKey}</Button>}>
      <p class="hint">{texts.keysText}</p>
      <QueryResult query={query}>
        {({ pages }) => {
          const keys = pages.flatMap((page) => page.keys);
          if (keys.length === 0) return <Empty title={texts.noKeys}><p>{texts.noKeysText}</p></Empty>;
          return <KeyTable keys={keys} onAction={(kind, key) => setOpenDialog({ kind, key })} />;
        }}
      </QueryResult>
      {query.hasNextPage && <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{texts.more}</Button>}
      {openDialog?.kind === 'create' && <NewKey onClose={close} onCreated={showSecret} />}
      {openDialog?.kind === 'shown' && (
        <Dialog title={openDialog.name} onClose={() => setOpenDialog(null)}>
          <p class="note">{texts.shownOnce}</p>
          <CopyLine text={openDialog.secret} label={texts.key} />
          <footer><Button variant="primary" onClick={() => setOpenDialog(null)}>{texts.done}</Button></footer>
        </Dialog>
      )}
      {openDialog?.kind === 'rotate' && <Rotate apiKey={openDialog.key} onClose={close} onCreated={showSecret} />}
      {openDialog?.kind === 'revoke' && <Revoke apiKey={openDialog.key} onClose={close} />}
    </Section>
  );
}

function KeyTable({ keys, onAction }: { keys: Key[]; onAction: (kind: 'rotate' | 'revoke', key: Key) => void }) {
  return (
    <Table columns={[texts.name, texts.scope, texts.lastUsed, lifetimeTexts.expires, texts.createdAt, { hidden: texts.actions }]}>
      {keys.map((key) => (
        <tr key={key.id}>
          <th scope="row" class="wide">{key.name} <code class="faint">{key.key_preview}</code></th>
          <td>{texts[key.scope]}{key.project_ids !== null && <p class="small faint">{projectNames(key.project_ids)}</p>}</td>
          <td data-label={texts.lastUsed}>{key.last_used_at === null ? <span class="faint">{texts.never}</span> : <Ago at={key.last_used_at} />}</td>
          <td data-label={lifetimeTexts.expires}><Expiry at={key.expires_at} /></td>
          <td data-label={texts.createdAt}><Ago at={key.created_at} /></td>
          <td>
            <div class="actions">
              <Button aria-label={texts.rotateOf(key.name)} onClick={() => onAction('rotate', key)}>{texts.rotate}</Button>
              <Button variant="danger" aria-label={texts.revokeOf(key.name)} onClick={() => onAction('revoke', key)}>{texts.revoke}</Button>
            </div>
          </td>
        </tr>
      ))}
    </Table>
  );
}

const ownProjects = () => (me.value?.projects ?? []).filter((one) => one.organization_id === organization.value?.id);

function projectNames(ids: string[]): string {
  return ownProjects().filter(({ id }) => ids.includes(id)).map(({ name }) => name).join(', ');
}

type OnKeyCreated = (key: { name: string; key: string }) => void;

function NewKey({ onClose, onCreated }: { onClose: () => void; onCreated: OnKeyCreated }) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('read');
  const [lifetime, setLifetime] = useState(UNLIMITED);
  const [projectIds, setProjectIds] = useState<string[]>([]);
  const projects = ownProjects();
  const body = {
    name, scope, expires_at: expiryOf(lifetime), project_ids: projectIds.length === 0 ? null : projectIds,
  };
  return (
    <FormDialog
      title={texts.newKey} submitLabel={texts.create} onClose={onClose} onSent={onCreated}
      send={() => unwrap(api.POST('/api/auth/api-keys', { body }))}
    >
      {(fieldErrors) => (
        <>
          <TextField
            label={texts.name} hint={texts.keyNameHint} required maxLength={100} value={name} onValue={setName} error={fieldErrors.at('name')}
          />
          <SelectField
            label={texts.scope} value={scope} onValue={setScope} options={[['read', texts.read], ['read_write', texts.read_write]]}
          />
          <LifetimeField value={lifetime} onValue={setLifetime} error={fieldErrors.at('expires_at')} />
          {projects.length > 1 && (
            <fieldset>
              <legend>{texts.projects}</legend>
              <p class="hint">{texts.keyProjectsHint}</p>
              {projects.map(({ id, name: project }) => (
                <Checkbox
                  key={id} label={project} value={projectIds.includes(id)}
                  onValue={(isChosen) => setProjectIds((before) => (isChosen ? [...before, id] : before.filter((one) => one !== id)))}
                />
              ))}
            </fieldset>
          )}
        </>
      )}
    </FormDialog>
  );
}

function Rotate({ apiKey: { id, name }, onClose, onCreated }: { apiKey: Key; onClose: () => void; onCreated: OnKeyCreated }) {
  return (
    <ConfirmDialog
      title={texts.rotateOf(name)} text={texts.rotateText} confirmLabel={texts.rotate} onClose={onClose}
      action={async () => onCreated(await unwrap(api.POST('/api/auth/api-keys/{id}/rotate', { params: { path: { id } } })))}
    />
  );
}

function Revoke({ apiKey: { id, name }, onClose }: { apiKey: Key; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={texts.revokeOf(name)} text={texts.revokeText} confirmLabel={texts.revoke} onClose={onClose}
      action={async () => {
        await unwrap(api.DELETE('/api/auth/api-keys/{id}', { params: { path: { id } } }));
        await refresh();
        toast(texts.revoked);
      }}
    />
  );
}
