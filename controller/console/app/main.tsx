import './styles/main.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render, type ComponentType } from 'preact';
import { ErrorBoundary, Route, Router, useLocation } from 'preact-iso';
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { queries } from './api/queries.ts';
import { isExpired, me, readSession, session } from './api/session.ts';
import { maintainLiveStream } from './live/live-stream.ts';
import './preferences/theme.ts';
import { SignInAgain } from './session/sign-in-again.tsx';
import { BaseLocation } from './shell/base-location.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { shellTexts } from './texts/shell.ts';
import { Button } from './ui/button.tsx';
import { ErrorNote } from './ui/error-note.tsx';
import { Skeleton } from './ui/loading.tsx';
import { Toasts } from './ui/toast.tsx';
import { guardHistory } from './ui/unsaved.ts';
import { PUBLIC_VIEWS, SIGNED_IN, SIGNED_OUT, UNVERIFIED } from './views.ts';

function Console() {
  const { state } = session.value;
  const { path } = useLocation();
  if (state === 'unknown') return <p class="boot">Farwatch</p>;
  if (state === 'offline') return <Offline />;
  if (path in PUBLIC_VIEWS) return <main id="main"><Views views={PUBLIC_VIEWS} fallback={NotFound} /></main>;
  return state === 'in' ? <><SignedIn />{isExpired.value && <SignInAgain />}</> : <SignedOut />;
}

const RETRY_DELAY_MS = 3000;

function Offline() {
  useEffect(() => {
    const timer = setTimeout(() => void readSession(), RETRY_DELAY_MS);
    return () => clearTimeout(timer);
  }, [session.value]);
  return <div class="boot"><p role="alert">{shellTexts.unreachable}</p><Button variant="primary" onClick={() => void readSession()}>{shellTexts.retry}</Button></div>;
}

function SignedIn() {
  const { path, route } = useLocation();
  const isSignedOutPath = path in SIGNED_OUT;
  useEffect(() => {
    if (isSignedOutPath) route(safeNext(), true);
  }, [isSignedOutPath]);
  if (isSignedOutPath) return null;
  if (me.value?.user.email_verified !== true) return <main id="main"><Views views={NO_VIEWS} fallback={UNVERIFIED} /></main>;
  const views = <Views views={SIGNED_IN} fallback={NotFound} />;
  return path === '/wall' ? views : <Shell>{views}</Shell>;
}

function SignedOut() {
  const { path, url, route } = useLocation();
  const needsSignIn = !(path in SIGNED_OUT);
  useEffect(() => {
    if (needsSignIn) route(`/sign-in${url === '/' ? '' : `?next=${encodeURIComponent(url)}`}`, true);
  }, [needsSignIn]);
  return needsSignIn ? null : <main id="main"><Views views={SIGNED_OUT} fallback={NotFound} /></main>;
}

/** The page to open after sign-in. Accepts only local paths, so that a link can't redirect to another site. */
function safeNext(): string {
  const next = new URLSearchParams(location.search).get('next') ?? '/';
  const url = new URL(next, location.origin);
  return url.origin === location.origin && next.startsWith('/') ? `${url.pathname}${url.search}` : '/';
}

/** True while a section's code is loading. */
const loading = signal(false);

type View = ComponentType;
const NO_VIEWS = {};

function Views({ views, fallback }: { views: Record<string, unknown>; fallback: View }) {
  const [failure, setFailure] = useState<unknown>(null);
  const { path } = useLocation();
  useEffect(() => setFailure(null), [path]);
  if (failure !== null) return <ErrorNote error={failure} retry={() => location.reload()} />;
  const setLoading = (isLoading: boolean) => () => {
    loading.value = isLoading;
  };
  return (
    <ErrorBoundary onError={setFailure}>
      {loading.value && <Skeleton lines={6} class="page" />}
      <Router onLoadStart={setLoading(true)} onLoadEnd={setLoading(false)}>
        {Object.entries(views).map(([at, view]) => <Route key={at} path={at} component={view as View} />)}
        <Route default component={fallback} />
      </Router>
    </ErrorBoundary>
  );
}

maintainLiveStream();
guardHistory();
void readSession();
render(
  <BaseLocation>
    <QueryClientProvider client={queries}>
      <Console />
      <Toasts />
    </QueryClientProvider>
  </BaseLocation>,
  document.getElementById('app') as HTMLElement,
);
