import { useState } from 'preact/hooks';
import { shellTexts } from '../texts/shell.ts';
import { Button } from './button.tsx';
import { toastError } from './toast.tsx';

export function CopyButton({ text }: { text: string }) {
  const [isDone, setDone] = useState(false);
  const copy = () => {
    navigator.clipboard.writeText(text).then(() => {
      setDone(true);
      setTimeout(() => setDone(false), 2000);
    }, toastError);
  };
  return <Button onClick={copy}><span aria-live="polite">{isDone ? shellTexts.copied : shellTexts.copy}</span></Button>;
}

/** A line with a copy button, for a command or a key. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  return <div class="copy-line"><code tabIndex={0} aria-label={label}>{text}</code><CopyButton text={text} /></div>;
}
