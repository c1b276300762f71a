import { useInfiniteQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { unwrap, api } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { canAdministerProject } from '../api/session.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { shellTexts } from '../texts/shell.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Empty, Section } from '../ui/page.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { numberText } from '../ui/time.tsx';
import { toast, toastError } from '../ui/toast.tsx';
import { pagePath, type StatusPage } from './page-queries.ts';
import { NotifySubscribers } from './notify-subscribers.tsx';
import { SubscriberDialog } from './subscriber-dialog.tsx';
import { SubscriberTable } from './subscriber-table.tsx';

const PAGE_SIZE = 100;
const STATES = ['verified', 'unverified', 'unsubscribed'] as const;

/** The page's subscribers; the URL holds the filter. */
export function Subscribers({ page }: { page: StatusPage }) {
  const { query, route } = useLocation();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [openDialog, setOpenDialog] = useState<'delete' | 'notify' | null>(null);
  const params = pagePath(page.id);
  const status = STATES.find((one) => one === query['status']);
  const search = query['search'] ?? '';
  const filters = { ...(status === undefined ? {} : { status }), ...(search === '' ? {} : { search }) };
  const hrefWith = (part: { status?: string; search?: string; subscriber?: string }) => {
    const values = Object.entries({ ...filters, ...part }).filter(([, value]) => value !== '');
    return href(`/pages/${page.id}/subscribers?${new URLSearchParams(Object.fromEntries(values))}`);
  };
  const setFilters = (part: { status?: string; search?: string }) => {
    setChosen(new Set());
    route(hrefWith(part), true);
  };
  const key = ['pages', page.id, 'subscribers'];
  const subscribersQuery = useInfiniteQuery({
    queryKey: [...key, filters], initialPageParam: 1,
    queryFn: ({ pageParam }) => unwrap(api.GET('/api/projects/{projectId}/status-pages/{id}/subscribers', {
      params: { ...params, query: { ...filters, page: pageParam, limit: PAGE_SIZE } },
    })),
    getNextPageParam: ({ pagination: { page: at, has_more: hasMore } }) => (hasMore ? at + 1 : undefined),
  });
  const ids = [...chosen];
  return (
    <Section title={texts.subscribers} actions={canAdministerProject.value && <ExportButton id={page.id} filters={filters} />}>
      <div class="fields">
        <SearchField label={texts.searchAddress} maxLength={255} value={search} onValue={(text) => setFilters({ search: text })} />
        <SelectField
          label={texts.state} value={status ?? ''} onValue={(to) => setFilters({ status: to })}
          options={[['', texts.all], ...STATES.map((one) => [one, texts[one]] as const)]}
        />
      </div>
      {ids.length > 0 && (
        <div class="actions" role="group" aria-label={texts.chosen(numberText(ids.length))}>
          <span>{texts.chosen(numberText(ids.length))}</span>
          <Button onClick={() => setOpenDialog('notify')}>{texts.notify}</Button>
          <Button variant="danger" onClick={() => setOpenDialog('delete')}>{shellTexts.delete}</Button>
        </div>
      )}
      <QueryResult query={subscribersQuery}>
        {({ pages }) => {
          const subscribers = pages.flatMap((one) => one.subscribers);
          if (subscribers.length === 0) return <Empty title={texts.noSubscribers} />;
          return (
            <SubscriberTable
              subscribers={subscribers} chosen={chosen} onChosen={setChosen} linkTo={(id) => hrefWith({ subscriber: id })}
            />
          );
        }}
      </QueryResult>
      {subscribersQuery.hasNextPage && (
        <Button isBusy={subscribersQuery.isFetchingNextPage} onClick={() => void subscribersQuery.fetchNextPage()}>
          {texts.showMore}
        </Button>
      )}
      {query['subscriber'] !== undefined && (
        <SubscriberDialog
          key={query['subscriber']} page={page} id={query['subscriber']} onClose={() => route(hrefWith({}))}
        />
      )}
      {openDialog === 'notify' && <NotifySubscribers page={page} ids={ids} onClose={() => setOpenDialog(null)} />}
      {openDialog === 'delete' && (
        <ConfirmDialog
          title={texts.deleteSubscribers(numberText(ids.length))} text={texts.deleteSubscribersText} confirmLabel={shellTexts.delete}
          onClose={() => setOpenDialog(null)}
          action={async () => {
            const { message } = await unwrap(api.POST('/api/projects/{projectId}/status-pages/{id}/subscribers/bulk-delete', {
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

/** Saves a file. A plain link would lack the session header. */
function ExportButton({ id, filters }: { id: string; filters: Partial<Record<'status' | 'search', string>> }) {
  const save = async () => {
    const csv = await unwrap(api.GET('/api/projects/{projectId}/status-pages/{id}/subscribers/export', {
      params: { ...pagePath(id), query: filters as { search?: string } }, parseAs: 'blob',
    }));
    const link = document.createElement('a');
    link.href = URL.createObjectURL(csv as unknown as Blob);
    link.download = 'subscribers.csv';
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return <Button onClick={() => void save().catch(toastError)}>{texts.export}</Button>;
}
