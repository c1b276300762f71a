import { shellTexts } from '../texts/shell.ts';
import { Dialog } from '../ui/dialog.tsx';
import { activeKeys } from './keys.ts';

const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent);

function Keys({ keys }: { keys: string }) {
  const shown = keys.replace('$mod', isMac ? '⌘' : 'Ctrl').split(' ');
  return <>{shown.map((key, at) => <kbd key={at}>{key}</kbd>)}</>;
}

/** All keyboard shortcuts on this page. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  const groups = [true, false].map((isGeneral) => ({
    title: isGeneral ? shellTexts.general : shellTexts.thisView,
    keys: activeKeys.value.filter((one) => one.isGeneral === isGeneral).flatMap(({ keys }) => keys),
  }));
  return (
    <Dialog title={shellTexts.shortcuts} onClose={onClose}>
      {groups.filter(({ keys }) => keys.length > 0).map(({ title, keys }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl class="shortcuts">{keys.map((key) => <div key={key.keys}><dt><Keys keys={key.keys} /></dt><dd>{key.text}</dd></div>)}</dl>
        </section>
      ))}
    </Dialog>
  );
}
