import type { ComponentType } from 'preact';
import { useRoute } from 'preact-iso';
import { ApiError } from '../api/api-error.ts';
import { canAdministerProject } from '../session/session.ts';
import { NotFound } from '../shell/not-found.tsx';
import { pageTexts as texts } from '../texts/pages.ts';
import { href } from '../ui/link.ts';
import { Shown } from '../ui/loading.tsx';
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
import { PublicationBadge, publicPath } from './publication.tsx';
import { useStatusPage, type StatusPage } from './reading.ts';
import { Subscribers } from './subscribers.tsx';

type Part = ComponentType<{ page: StatusPage }>;
const FOR_ALL: Record<string, Part> = { posts: Posts, subscribers: Subscribers };
const FOR_ADMINS: Record<string, Part> = {
  monitors: PageMonitors, ...FOR_ALL, branding: BrandingForm, settings: PageSettings, domain: CustomDomain,
};
type Name = 'posts' | 'subscribers' | 'monitors' | 'branding' | 'settings' | 'domain';

/** One status page: what it shows and tells, beside how its readers see it. */
export default function StatusPageView() {
  const { params: { id = '', view } } = useRoute();
  const read = useStatusPage(id);
  if (read.error instanceof ApiError && [400, 403, 404].includes(read.error.status)) return <NotFound />;
  return <Shown of={read} lines={10}>{({ status_page: page }) => <Detail key={page.id} page={page} view={view} />}</Shown>;
}

function Detail({ page, view }: { page: StatusPage; view: string | undefined }) {
  const parts = canAdministerProject.value ? FOR_ADMINS : FOR_ALL;
  const names = Object.keys(parts) as Name[];
  const name = names.find((one) => one === (view ?? names[0]));
  const Shown = name === undefined ? undefined : parts[name];
  if (name === undefined || Shown === undefined) return <NotFound />;
  const to = (one: Name) => href(`/pages/${page.id}/${one}`);
  return (
    <Page
      title={page.name} back={{ to: '/pages', text: texts.back }}
      actions={canAdministerProject.value && <PageActions page={page} />}
    >
      <p class="page-state">
        <PublicationBadge of={page.status} />
        {page.status === 'published' ? <a href={publicPath(page)}>{publicPath(page)}</a> : <span class="faint">{publicPath(page)}</span>}
        <span class="faint">{texts.views(numberText(page.page_views_24h), numberText(page.page_views_30d))}</span>
      </p>
      <Tabs label={page.name} current={to(name)} tabs={names.map((one) => ({ to: to(one), text: texts[one] }))} />
      <div class="page-columns">
        <div class="page-main"><Shown page={page} /></div>
        <Preview page={page} />
      </div>
    </Page>
  );
}
