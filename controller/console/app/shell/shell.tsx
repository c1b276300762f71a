import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { chooseProject, me, project, signOut } from '../api/session.ts';
import { liveStatus } from '../live/live-stream.ts';
import { chooseLanguage, language, LANGUAGES, type Language } from '../preferences/language.ts';
import { theme, THEMES } from '../preferences/theme.ts';
import { shellTexts } from '../texts/shell.ts';
import { href } from '../ui/link.ts';
import { Menu, MenuItem, MenuLink } from '../ui/menu.tsx';
import { toastError } from '../ui/toast.tsx';
import { confirmLeave, useNavigate } from '../ui/unsaved.ts';
import { NAVIGATION_ITEMS } from './navigation-items.ts';
import { useKeys } from './keys.ts';
import { Palette } from './palette.tsx';
import { Shortcuts } from './shortcuts.tsx';

/** The frame around every view of a signed-in user. */
export function Shell({ children }: { children: ComponentChildren }) {
  const [openDialog, setOpenDialog] = useState<'palette' | 'shortcuts' | null>(null);
  const { path } = useLocation();
  const navigate = useNavigate();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    // Makes screen readers announce the page that a link has opened. Synchronous: the user may focus a field before the
    // next frame.
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  useKeys([
    { keys: '$mod+k', text: shellTexts.palette, run: () => setOpenDialog('palette'), everywhere: true },
    { keys: 'Shift+?', text: shellTexts.shortcutsHint, run: () => setOpenDialog('shortcuts') },
    ...NAVIGATION_ITEMS.map(({ to, name, keys }) => ({ keys: `g ${keys}`, text: shellTexts[name], run: () => navigate(to) })),
  ], { isGeneral: true });
  return (
    <div class="shell">
      <a class="skip" href="#main">{shellTexts.skip}</a>
      <Navigation path={path} />
      <header class="top">
        <ProjectMenu />
        <button type="button" class="find" onClick={() => setOpenDialog('palette')}>
          <span>{shellTexts.search}</span><kbd>Ctrl K</kbd>
        </button>
        <LiveIndicator />
        <AccountMenu />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {liveStatus.value === 'offline' && <p class="offline-banner" role="alert">{shellTexts.offlineText}</p>}
        {children}
      </main>
      {openDialog === 'palette' && <Palette onClose={() => setOpenDialog(null)} />}
      {openDialog === 'shortcuts' && <Shortcuts onClose={() => setOpenDialog(null)} />}
    </div>
  );
}

function Navigation({ path }: { path: string }) {
  const isCurrent = (to: string) => (to === '/' ? path === '/' || path.startsWith('/monitors') : path.startsWith(to));
  return (
    <nav class="side" aria-label={shellTexts.mainNavigation}>
      <a class="brand" href={href('/')}><img src="/console/assets/icon.svg" alt="" width="28" height="28" /> <span>Farwatch</span></a>
      <ul>
        {NAVIGATION_ITEMS.filter(({ icon }) => icon !== null).map(({ to, name, icon }) => (
          <li key={to}>
            <a href={href(to)} aria-current={isCurrent(to) ? 'page' : undefined}>
              <svg viewBox="0 0 24 24" aria-hidden="true"><path d={icon ?? ''} /></svg><span>{shellTexts[name]}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ProjectMenu() {
  const queries = useQueryClient();
  const { route } = useLocation();
  const account = me.value;
  if (account === null || project.value === null) return <span class="project-name" />;
  if (account.projects.length < 2) return <span class="project-name">{project.value.name}</span>;
  const organizationOf = (id: string) => account.organizations.find((one) => one.id === id)?.name ?? '';
  return (
    <Menu class="project-menu" name={`${shellTexts.project}: ${project.value.name}`} label={<><span class="project-name">{project.value.name}</span> ▾</>}>
      {account.projects.map(({ id, name, organization_id: organizationId }) => (
        <MenuItem
          key={id} isChosen={id === project.value?.id}
          onChoose={() => {
            if (!confirmLeave()) return;
            chooseProject(id);
            queries.clear();
            route(href('/'));
          }}
        >{name} <span class="faint">{account.organizations.length > 1 ? organizationOf(organizationId) : ''}</span></MenuItem>
      ))}
    </Menu>
  );
}

function LiveIndicator() {
  const state = liveStatus.value;
  return <span class={`live-sign ${state}`} role="status"><span aria-hidden="true" />{shellTexts[state]}</span>;
}

function AccountMenu() {
  const user = me.value?.user;
  if (user === undefined) return null;
  const initials = user.name.split(/\s+/).slice(0, 2).map((namePart) => [...namePart][0] ?? '').join('').toUpperCase();
  return (
    <Menu class="account-menu" name={`${shellTexts.account}: ${user.name}`} label={<span class="avatar" data-initials={initials} />}>
      <p class="menu-note" role="presentation">{user.name}<br /><span class="faint">{user.email}</span></p>
      <MenuLink to={href('/settings/account')}>{shellTexts.account}</MenuLink>
      <MenuLink to="/api/docs">{shellTexts.apiReference}</MenuLink>
      {THEMES.map((each) => (
        <MenuItem
          key={each} isChosen={theme.value === each}
          onChoose={() => {
            theme.value = each;
          }}
        >{shellTexts.theme}: {shellTexts[each]}</MenuItem>
      ))}
      {(Object.keys(LANGUAGES) as Language[]).map((each) => (
        <MenuItem key={each} isChosen={language.value === each} onChoose={() => chooseLanguage(each)}>{LANGUAGES[each]}</MenuItem>
      ))}
      <MenuItem onChoose={() => void signOut().catch(toastError)}>{shellTexts.signOut}</MenuItem>
    </Menu>
  );
}
