import { useInfiniteQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { answer, api } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { queries } from '../api/queries.ts';
import { settingTexts as texts } from '../texts/settings.ts';
import { Button } from '../ui/button.tsx';
import { CopyLine } from '../ui/copy.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Shown } from '../ui/loading.tsx';
import { Empty, Section } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';

type Key = components['schemas']['ApiKey'];
type Scope = Key['scope'];
type Asked = { what: 'create' } | { what: 'rotate' | 'revoke'; key: Key } | { what: 'shown'; name: string; secret: string };

const PATH = ['settings', 'keys'];
const PAGE = 100;
const changed = () => queries.invalidateQueries({ queryKey: PATH });

/** The organization's API keys. A key itself is seen once, when it is made. */
export function ApiKeys() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const read = useInfiniteQuery({
    queryKey: PATH, initialPageParam: 0,
    queryFn: ({ pageParam: offset }) => answer(api.GET('/api/auth/api-keys', { params: { query: { offset, limit: PAGE } } })),
    getNextPageParam: ({ offset, limit, has_more: hasMore }) => (hasMore ? offset + limit : undefined),
  });
  const create = () => setAsked({ what: 'create' });
  // Closing a question leaves open what its answer has opened.
  const close = () => setAsked((seen) => (seen?.what === 'shown' ? seen : null));
  const show = ({ name, key: secret }: { name: string; key: string }) => {
    setAsked({ what: 'shown', name, secret });
    void changed();
  };
  return (
    <Section title={texts.keys} actions={<Button variant="primary" onClick={create}>{texts.newKey}</Button>}>
      <p class="hint">{texts.keysLong}</p>
      <Shown of={read}>
        {({ pages }) => {
          const keys = pages.flatMap((page) => page.keys);
          if (keys.length === 0) return <Empty title={texts.noKeys}><p>{texts.noKeysLong}</p></Empty>;
          return <KeyTable keys={keys} onAsk={(what, key) => setAsked({ what, key })} />;
        }}
      </Shown>
      {read.hasNextPage && <Button isBusy={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>{texts.more}</Button>}
      {asked?.what === 'create' && <NewKey onClose={close} onMade={show} />}
      {asked?.what === 'shown' && (
        <Dialog title={asked.name} onClose={() => setAsked(null)}>
          <p class="note">{texts.shownOnce}</p>
          <CopyLine text={asked.secret} label={texts.key} />
          <footer><Button variant="primary" onClick={() => setAsked(null)}>{texts.done}</Button></footer>
        </Dialog>
      )}
      {asked?.what === 'rotate' && <Rotate of={asked.key} onClose={close} onMade={show} />}
      {asked?.what === 'revoke' && <Revoke of={asked.key} onClose={close} />}
    </Section>
  );
}

function KeyTable({ keys, onAsk }: { keys: Key[]; onAsk: (what: 'rotate' | 'revoke', key: Key) => void }) {
  return (
    <div class="table-wrap">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">{texts.name}</th><th scope="col">{texts.scope}</th><th scope="col">{texts.lastUsed}</th>
            <th scope="col">{texts.createdAt}</th><th scope="col"><span class="hidden">{texts.actions}</span></th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row" class="wide">{key.name} <code class="faint">{key.key_preview}</code></th>
              <td>{texts[key.scope]}</td>
              <td data-label={texts.lastUsed}>{key.last_used_at === null ? <span class="faint">{texts.never}</span> : <Ago at={key.last_used_at} />}</td>
              <td data-label={texts.createdAt}><Ago at={key.created_at} /></td>
              <td>
                <div class="actions">
                  <Button aria-label={texts.rotateOf(key.name)} onClick={() => onAsk('rotate', key)}>{texts.rotate}</Button>
                  <Button variant="danger" aria-label={texts.revokeOf(key.name)} onClick={() => onAsk('revoke', key)}>{texts.revoke}</Button>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Made = (key: { name: string; key: string }) => void;

function NewKey({ onClose, onMade }: { onClose: () => void; onMade: Made }) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('read');
  return (
    <FormDialog
      title={texts.newKey} verb={texts.create} onClose={onClose} onSent={onMade}
      send={() => answer(api.POST('/api/auth/api-keys', { body: { name, scope } }))}
    >
      {(wrong) => (
        <>
          <TextField
            label={texts.name} hint={texts.keyNameHint} required maxLength={100} value={name} onValue={setName} error={wrong.at('name')}
          />
          <SelectField
            label={texts.scope} value={scope} onValue={setScope} options={[['read', texts.read], ['read_write', texts.read_write]]}
          />
        </>
      )}
    </FormDialog>
  );
}

function Rotate({ of: { id, name }, onClose, onMade }: { of: Key; onClose: () => void; onMade: Made }) {
  return (
    <ConfirmDialog
      title={texts.rotateOf(name)} text={texts.rotateLong} verb={texts.rotate} onClose={onClose}
      action={async () => onMade(await answer(api.POST('/api/auth/api-keys/{id}/rotate', { params: { path: { id } } })))}
    />
  );
}

function Revoke({ of: { id, name }, onClose }: { of: Key; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={texts.revokeOf(name)} text={texts.revokeLong} verb={texts.revoke} onClose={onClose}
      action={async () => {
        await answer(api.DELETE('/api/auth/api-keys/{id}', { params: { path: { id } } }));
        await changed();
        toast(texts.revoked);
      }}
    />
  );
}
