import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { basePath } from '../api/base-path.ts';
import { unwrap, api } from '../api/client.ts';
import { canAdministerProject, project } from '../api/session.ts';
import { useCommands } from '../shell/commands.ts';
import { useKeys } from '../shell/keys.ts';
import { pageTexts as texts } from '../texts/pages.ts';
import { Button } from '../ui/button.tsx';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { Empty, Page } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { numberText } from '../ui/time.tsx';
import { NewPage } from './new-page.tsx';
import { PublicationBadge, publicPath } from './badges.tsx';
import { PAGES_KEY, projectId, type StatusPage } from './page-queries.ts';

export default function Pages() {
  const [isCreating, setCreating] = useState(false);
  const query = useQuery({
    queryKey: PAGES_KEY, enabled: project.value !== null,
    queryFn: () => unwrap(api.GET('/api/projects/{projectId}/status-pages', {
      params: { header: { 'X-Project-ID': projectId() }, path: { projectId: projectId() } },
    })),
  });
  const add = canAdministerProject.value ? [{ text: texts.newPage, run: () => setCreating(true) }] : [];
  useCommands(add);
  useKeys(add.map((one) => ({ ...one, keys: 'c' })));
  const button = canAdministerProject.value
    && <Button variant="primary" onClick={() => setCreating(true)}>{texts.newPage} <kbd aria-hidden="true">c</kbd></Button>;
  return (
    <Page title={texts.title} actions={button}>
      <QueryResult query={query} lines={5}>
        {({ status_pages: pages }) => (pages.length === 0
          ? <Empty title={texts.none}><p>{texts.noneText}</p></Empty>
          : <PageTable pages={pages} />)}
      </QueryResult>
      {isCreating && <NewPage onClose={() => setCreating(false)} />}
    </Page>
  );
}

function PageTable({ pages }: { pages: StatusPage[] }) {
  return (
    <Table columns={[texts.state, texts.page, { number: texts.monitors }, { number: texts.subscribers }, { number: texts.views7d }]}>
      {pages.map((page) => (
        <tr key={page.id}>
          <td><PublicationBadge status={page.status} /></td>
          <td class="wide">
            <a href={href(`/pages/${page.id}`)}>{page.name}</a><br />
            {page.status === 'published'
              ? <a class="small" href={publicPath(page)}>{basePath}{publicPath(page)}</a>
              : <span class="faint small">{basePath}{publicPath(page)}</span>}
          </td>
          <td class="number" data-label={texts.monitors}>{numberText(page.monitor_count)}</td>
          <td class="number" data-label={texts.subscribers}>{numberText(page.subscriber_count)}</td>
          <td class="number" data-label={texts.views7d}>{numberText(page.page_views_7d)}</td>
        </tr>
      ))}
    </Table>
  );
}
