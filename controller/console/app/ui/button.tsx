import type { ComponentChildren, JSX } from 'preact';

type Variant = 'primary' | 'plain' | 'danger' | 'quiet';

interface Props extends Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'icon'> {
  variant?: Variant;
  /** Something is under way: it cannot be pressed, and a screen reader hears why. */
  isBusy?: boolean;
  type?: 'button' | 'submit';
  disabled?: boolean;
  children?: ComponentChildren;
}

export function Button({ variant = 'plain', isBusy = false, type = 'button', disabled, class: more, ...rest }: Props) {
  return (
    <button
      {...rest} type={type} disabled={disabled === true || isBusy} aria-busy={isBusy || undefined}
      class={`button ${variant} ${typeof more === 'string' ? more : ''}`}
    />
  );
}

/** A link that looks like a button. */
export function LinkButton({ variant = 'plain', ...rest }: { variant?: Variant } & JSX.HTMLAttributes<HTMLAnchorElement> & { href: string }) {
  return <a {...rest} class={`button ${variant}`} />;
}
