import { useInfiniteQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { answer, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { canAdministerProject } from '../session/session.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import { Shown } from '../ui/loading.tsx';
import { Empty, Section } from '../ui/page.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { numberText } from '../ui/time.tsx';
import { toast, toastError } from '../ui/toast.tsx';
import { pagePath, type StatusPage } from './reading.ts';
import { NotifySubscribers } from './notify-subscribers.tsx';
import { SubscriberDialog } from './subscriber-dialog.tsx';
import { SubscriberTable } from './subscriber-table.tsx';

const PAGE = 100;
const STATES = ['verified', 'unverified', 'unsubscribed'] as const;

/** Who is told of the page's news; the filter is in the address. */
export function Subscribers({ page }: { page: StatusPage }) {
  const { query, route } = useLocation();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<'delete' | 'notify' | null>(null);
  const params = pagePath(page.id);
  const status = STATES.find((one) => one === query['status']);
  const search = query['search'] ?? '';
  const wanted = { ...(status === undefined ? {} : { status }), ...(search === '' ? {} : { search }) };
  const to = (part: { status?: string; search?: string; subscriber?: string }) => {
    const values = Object.entries({ ...wanted, ...part }).filter(([, value]) => value !== '');
    return href(`/pages/${page.id}/subscribers?${new URLSearchParams(Object.fromEntries(values))}`);
  };
  const filter = (part: { status?: string; search?: string }) => {
    setChosen(new Set());
    route(to(part), true);
  };
  const key = ['pages', page.id, 'subscribers'];
  const read = useInfiniteQuery({
    queryKey: [...key, wanted], initialPageParam: 1,
    queryFn: ({ pageParam }) => answer(api.GET('/api/projects/{projectId}/status-pages/{id}/subscribers', {
      params: { ...params, query: { ...wanted, page: pageParam, limit: PAGE } },
    })),
    getNextPageParam: ({ pagination: { page: at, has_more: hasMore } }) => (hasMore ? at + 1 : undefined),
  });
  const ids = [...chosen];
  return (
    <Section title={texts.subscribers} actions={canAdministerProject.value && <ExportButton id={page.id} wanted={wanted} />}>
      <div class="fields">
        <SearchField label={texts.searchAddress} maxLength={255} value={search} onValue={(text) => filter({ search: text })} />
        <SelectField
          label={texts.state} value={status ?? ''} onValue={(to) => filter({ status: to })}
          options={[['', texts.all], ...STATES.map((one) => [one, texts[one]] as const)]}
        />
      </div>
      {ids.length > 0 && (
        <div class="actions" role="group" aria-label={texts.chosen(numberText(ids.length))}>
          <span>{texts.chosen(numberText(ids.length))}</span>
          <Button onClick={() => setAsked('notify')}>{texts.notify}</Button>
          <Button variant="danger" onClick={() => setAsked('delete')}>{shellTexts.delete}</Button>
        </div>
      )}
      <Shown of={read}>
        {({ pages }) => {
          const subscribers = pages.flatMap((one) => one.subscribers);
          if (subscribers.length === 0) return <Empty title={texts.noSubscribers} />;
          return <SubscriberTable subscribers={subscribers} chosen={chosen} onChosen={setChosen} linkTo={(id) => to({ subscriber: id })} />;
        }}
      </Shown>
      {read.hasNextPage && <Button isBusy={read.isFetchingNextPage} onClick={() => void read.fetchNextPage()}>{texts.showMore}</Button>}
      {query['subscriber'] !== undefined && <SubscriberDialog key={query['subscriber']} page={page} id={query['subscriber']} onClose={() => route(to({}))} />}
      {asked === 'notify' && <NotifySubscribers page={page} ids={ids} onClose={() => setAsked(null)} />}
      {asked === 'delete' && (
        <ConfirmDialog
          title={texts.deleteSubscribers(numberText(ids.length))} text={texts.deleteSubscribersLong} verb={shellTexts.delete}
          onClose={() => setAsked(null)}
          action={async () => {
            const { message } = await answer(api.POST('/api/projects/{projectId}/status-pages/{id}/subscribers/bulk-delete', {
              params, body: { subscriber_ids: ids },
            }));
            setChosen(new Set());
            await queries.invalidateQueries({ queryKey: key });
            toast(message);
          }}
        />
      )}
    </Section>
  );
}

/** Saves a file. A link would lack the header by which the session counts. */
function ExportButton({ id, wanted }: { id: string; wanted: Partial<Record<'status' | 'search', string>> }) {
  const save = async () => {
    const csv = await answer(api.GET('/api/projects/{projectId}/status-pages/{id}/subscribers/export', {
      params: { ...pagePath(id), query: wanted as { search?: string } }, parseAs: 'blob',
    }));
    const link = document.createElement('a');
    link.href = URL.createObjectURL(csv as unknown as Blob);
    link.download = 'subscribers.csv';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return <Button onClick={() => void save().catch(toastError)}>{texts.export}</Button>;
}
