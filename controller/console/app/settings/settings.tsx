import type { ComponentType } from 'preact';
import { useRoute } from 'preact-iso';
import { canAdminister } from '../api/session.ts';
import { NotFound } from '../shell/not-found.tsx';
import { settingTexts as texts } from '../texts/settings.ts';
import { href } from '../ui/link.ts';
import { Page } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { AccountSettings } from './account.tsx';
import { ApiKeys } from './api-keys.tsx';
import { AuditLog } from './audit.tsx';
import { OrganizationSettings } from './organization.tsx';
import { People } from './people.tsx';
import { PlanAndUsage } from './plan.tsx';
import { Projects } from './projects.tsx';
import { Variables } from './variables.tsx';

type ViewName = 'account' | 'organization' | 'people' | 'projects' | 'variables' | 'keys' | 'plan' | 'audit';

/** Views for everyone; the others are for the organization's administrators. */
const FOR_ALL: Partial<Record<ViewName, ComponentType>> = {
  account: AccountSettings, organization: OrganizationSettings, people: People, projects: Projects,
  variables: Variables,
};
const FOR_ADMINS: Partial<Record<ViewName, ComponentType>> = { keys: ApiKeys, plan: PlanAndUsage, audit: AuditLog };

/** Settings of the account and the organization, each part with its own URL. */
export default function Settings() {
  const { params: { view } } = useRoute();
  const views = { ...FOR_ALL, ...(canAdminister.value ? FOR_ADMINS : {}) };
  const names = Object.keys(views) as ViewName[];
  const name = view === undefined ? 'account' : names.find((one) => one === view);
  const View = name === undefined ? undefined : views[name];
  if (name === undefined || View === undefined) return <NotFound />;
  return (
    <Page title={texts.title} class="settings">
      <Tabs
        label={texts.title} current={href(`/settings/${name}`)}
        tabs={names.map((one) => ({ to: href(`/settings/${one}`), text: texts[one] }))}
      />
      <View />
    </Page>
  );
}
