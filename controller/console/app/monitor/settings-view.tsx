import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { canEdit } from '../api/session.ts';
import { monitorTexts } from '../texts/monitor.ts';
import { LinkButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { href } from '../ui/link.ts';
import { Section } from '../ui/page.tsx';
import type { Monitor } from './monitor-queries.ts';

/** Shown elsewhere on the page, or not useful to people. */
const HIDDEN_FIELDS = new Set(['runtimeStatus', 'in_maintenance', 'configState', 'organization_id', 'created_by', 'heartbeat_token']);

/** All settings under the names that the API and exports use. */
export function SettingsView({ monitor }: { monitor: Monitor }) {
  const { path } = useLocation();
  const visible = Object.entries(monitor).filter(([name]) => !HIDDEN_FIELDS.has(name));
  const edit = canEdit.value && <LinkButton href={href(path.replace(/settings$/, 'edit'))}>{monitorTexts.edit}</LinkButton>;
  return (
    <Section title={monitorTexts.settings} actions={<><CopyButton text={JSON.stringify(Object.fromEntries(visible), null, 2)} />{edit}</>}>
      <dl class="card facts settings-list">
        {visible.map(([name, value]) => <><dt key={name}><code>{name}</code></dt><dd key={`${name} value`}>{valueOf(value)}</dd></>)}
      </dl>
    </Section>
  );
}

function valueOf(value: unknown): ComponentChildren {
  if (value === null || value === undefined || value === '') return <span class="faint">–</span>;
  if (typeof value === 'object') return <pre>{JSON.stringify(value, null, 2)}</pre>;
  return <code>{String(value)}</code>;
}
