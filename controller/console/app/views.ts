import { lazyPart } from './ui/lazy-part.tsx';

/** Views by path; each section is loaded when it is first opened. */
export const SIGNED_IN = {
  '/': lazyPart(() => import('./overview/overview.tsx')),
  '/monitors': lazyPart(() => import('./overview/overview.tsx')),
  '/wall': lazyPart(() => import('./overview/wall.tsx')),
  '/welcome': lazyPart(() => import('./welcome/welcome.tsx')),
  '/monitors/new': lazyPart(() => import('./editing/new-monitor.tsx')),
  '/monitors/import': lazyPart(() => import('./editing/import.tsx')),
  '/monitors/:id': lazyPart(() => import('./monitor/monitor.tsx')),
  '/monitors/:id/edit': lazyPart(() => import('./editing/edit-monitor.tsx')),
  '/monitors/:id/:view': lazyPart(() => import('./monitor/monitor.tsx')),
  '/groups/:id': lazyPart(() => import('./groups/group.tsx')),
  '/incidents': lazyPart(() => import('./incidents/incidents.tsx')),
  '/incidents/:id': lazyPart(() => import('./incidents/incident.tsx')),
  '/fleet': lazyPart(() => import('./fleet/fleet.tsx')),
  '/fleet/:view': lazyPart(() => import('./fleet/fleet.tsx')),
  '/fleet/probes/:id': lazyPart(() => import('./fleet/probe.tsx')),
  '/destinations': lazyPart(() => import('./destinations/destinations.tsx')),
  '/destinations/new': lazyPart(() => import('./destinations/new-destination.tsx')),
  '/destinations/:id': lazyPart(() => import('./destinations/destination.tsx')),
  '/pages': lazyPart(() => import('./pages/pages.tsx')),
  '/pages/:id': lazyPart(() => import('./pages/page.tsx')),
  '/pages/:id/:view': lazyPart(() => import('./pages/page.tsx')),
  '/maintenance': lazyPart(() => import('./maintenance/maintenance.tsx')),
  '/maintenance/new': lazyPart(() => import('./maintenance/maintenance-window.tsx')),
  '/maintenance/:id': lazyPart(() => import('./maintenance/maintenance-window.tsx')),
  '/settings': lazyPart(() => import('./settings/settings.tsx')),
  '/settings/:view': lazyPart(() => import('./settings/settings.tsx')),
};

/** Shown instead of all views until the user's email address is verified. */
export const UNVERIFIED = lazyPart(() => import('./session/unverified.tsx'));

/** Views that work with and without a session. */
export const PUBLIC_VIEWS = {
  '/accept-invitation': lazyPart(() => import('./session/accept-invitation.tsx')),
};

/** Views without a session; every other path redirects to sign-in. */
export const SIGNED_OUT = {
  '/sign-in': lazyPart(() => import('./session/sign-in.tsx')),
  '/sign-up': lazyPart(() => import('./session/sign-up.tsx')),
  '/forgot-password': lazyPart(() => import('./session/forgot-password.tsx')),
};
