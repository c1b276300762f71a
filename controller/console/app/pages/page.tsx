import type { ComponentType } from 'preact';
import { useRoute } from 'preact-iso';
import { ApiError } from '../api/api-error.ts';
import { basePath } from '../api/base-path.ts';
import { canAdministerProject } from '../api/session.ts';
import { NotFound } from '../shell/not-found.tsx';
import { pageTexts as texts } from '../texts/pages.ts';
import { href } from '../ui/link.ts';
import { QueryResult } from '../ui/loading.tsx';
import { ManagedForm } from '../ui/managed.tsx';
import { Page } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { numberText } from '../ui/time.tsx';
import { BrandingForm } from './branding.tsx';
import { CustomDomain } from './custom-domain.tsx';
import { PageActions } from './page-actions.tsx';
import { PageMonitors } from './page-monitors.tsx';
import { PageSettings } from './page-settings.tsx';
import { Posts } from './posts.tsx';
import { Preview } from './preview.tsx';
import { PublicationBadge, publicPath } from './badges.tsx';
import { useStatusPage, type StatusPage } from './page-queries.ts';
import { Subscribers } from './subscribers.tsx';

type ViewComponent = ComponentType<{ page: StatusPage }>;
const FOR_ALL: Record<string, ViewComponent> = { posts: Posts, subscribers: Subscribers };
/** Views that an import does not overwrite. */
const UNMANAGED = Object.keys(FOR_ALL);
const FOR_ADMINS: Record<string, ViewComponent> = {
  monitors: PageMonitors, ...FOR_ALL, branding: BrandingForm, settings: PageSettings, domain: CustomDomain,
};
type ViewName = 'posts' | 'subscribers' | 'monitors' | 'branding' | 'settings' | 'domain';

/** One status page: settings and posts beside a preview. */
export default function StatusPageView() {
  const { params: { id = '', view } } = useRoute();
  const query = useStatusPage(id);
  if (query.error instanceof ApiError && [400, 403, 404].includes(query.error.status)) return <NotFound />;
  return <QueryResult query={query} lines={10}>{({ status_page: page }) => <Detail key={page.id} page={page} view={view} />}</QueryResult>;
}

function Detail({ page, view }: { page: StatusPage; view: string | undefined }) {
  const views = canAdministerProject.value ? FOR_ADMINS : FOR_ALL;
  const names = Object.keys(views) as ViewName[];
  const name = names.find((one) => one === (view ?? names[0]));
  const View = name === undefined ? undefined : views[name];
  if (name === undefined || View === undefined) return <NotFound />;
  const to = (one: ViewName) => href(`/pages/${page.id}/${one}`);
  return (
    <Page
      title={page.name} back={{ to: '/pages', text: texts.back }}
      actions={canAdministerProject.value && <PageActions page={page} />}
    >
      <p class="page-state">
        <PublicationBadge status={page.status} />
        {page.status === 'published' ? <a href={publicPath(page)}>{basePath}{publicPath(page)}</a> : <span class="faint">{basePath}{publicPath(page)}</span>}
        <span class="faint">{texts.views(numberText(page.page_views_24h), numberText(page.page_views_30d))}</span>
      </p>
      <Tabs label={page.name} current={to(name)} tabs={names.map((one) => ({ to: to(one), text: texts[one] }))} />
      <div class="page-columns">
        <div class="page-main">
          <ManagedForm owner={UNMANAGED.includes(name) ? null : page.managed_by}><View page={page} /></ManagedForm>
        </div>
        <Preview page={page} />
      </div>
    </Page>
  );
}
