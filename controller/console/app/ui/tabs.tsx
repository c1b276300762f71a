import { useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';

/** Tabs, each with its own URL. */
export function Tabs({ label, tabs, current }: {
  label: string; tabs: readonly { to: string; text: string }[];
  /** URL of the current tab, for tabs that differ by more than their path. */
  current?: string;
}) {
  const { url } = useLocation();
  const nav = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    // On a phone, the tab of a deep link may be scrolled out of view.
    const tab = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && tab) nav.current.scrollLeft = tab.offsetLeft + tab.offsetWidth / 2 - nav.current.clientWidth / 2;
  }, [url]);
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {tabs.map(({ to, text }) => {
        const isCurrent = current !== undefined ? to === current : url.split('?')[0] === to.split('?')[0];
        return <a key={to} href={to} aria-current={isCurrent ? 'page' : undefined}>{text}</a>;
      })}
    </nav>
  );
}
