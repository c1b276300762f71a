import type { ComponentType } from 'preact';
import { useRoute } from 'preact-iso';
import { canAdminister } from '../session/session.ts';
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
import { PlanAndUse } from './plan.tsx';
import { Projects } from './projects.tsx';

type Name = 'account' | 'organization' | 'people' | 'projects' | 'keys' | 'plan' | 'audit';

/** For everybody, and what only those see who administer the organization. */
const FOR_ALL: Partial<Record<Name, ComponentType>> = {
  account: AccountSettings, organization: OrganizationSettings, people: People, projects: Projects,
};
const FOR_ADMINS: Partial<Record<Name, ComponentType>> = { keys: ApiKeys, plan: PlanAndUse, audit: AuditLog };

/** What belongs to the account and the organization, each part at its own address. */
export default function Settings() {
  const { params: { view } } = useRoute();
  const parts = { ...FOR_ALL, ...(canAdminister.value ? FOR_ADMINS : {}) };
  const names = Object.keys(parts) as Name[];
  const name = view === undefined ? 'account' : names.find((one) => one === view);
  const Part = name === undefined ? undefined : parts[name];
  if (name === undefined || Part === undefined) return <NotFound />;
  return (
    <Page title={texts.title} class="settings">
      <Tabs
        label={texts.title} current={href(`/settings/${name}`)}
        tabs={names.map((one) => ({ to: href(`/settings/${one}`), text: texts[one] }))}
      />
      <Part />
    </Page>
  );
}
