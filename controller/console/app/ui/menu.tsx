import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** A button with a list of `MenuItem`s below it. */
export function Menu({ label, children, name, class: more = '' }: {
  label: ComponentChildren; children: ComponentChildren; name?: string; class?: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const items = () => [...root.current?.querySelectorAll<HTMLElement>('[role^=menuitem]:not(:disabled)') ?? []];
  useLayoutEffect(() => {
    // Synchronous, because the next keypress may come before the next frame.
    if (isOpen) items()[0]?.focus();
  }, [isOpen]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const close = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, [isOpen]);
  const focusButton = () => button.current?.focus();
  const move = (event: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === 'Escape' && isOpen) {
      event.stopPropagation();
      setOpen(false);
      focusButton();
    } else if (to !== undefined && isOpen) {
      event.preventDefault();
      all.at(to % all.length)?.focus();
    } else if (event.key === 'Tab') setOpen(false);
  };
  return (
    <div class={`menu ${more}`} ref={root} onKeyDown={move}>
      <button
        ref={button} type="button" class="button quiet" aria-haspopup="menu" aria-expanded={isOpen}
        aria-label={name} onClick={() => setOpen(!isOpen)}
      >{label}</button>
      {/* The button has the focus before an item opens a dialog, so that the focus returns to it. */}
      {isOpen && <div class="menu-list" role="menu" onClickCapture={focusButton} onClick={() => setOpen(false)}>{children}</div>}
    </div>
  );
}

export function MenuItem({ onChoose, children, isChosen, disabled }: {
  onChoose: () => void; children: ComponentChildren; isChosen?: boolean; disabled?: boolean;
}) {
  return (
    <button
      type="button" role={isChosen === undefined ? 'menuitem' : 'menuitemradio'} tabIndex={-1} class="menu-item"
      aria-checked={isChosen} onClick={onChoose} {...(disabled === undefined ? {} : { disabled })}
    >{children}</button>
  );
}

export function MenuLink({ to, children }: { to: string; children: ComponentChildren }) {
  return <a class="menu-item" role="menuitem" tabIndex={-1} href={to}>{children}</a>;
}
