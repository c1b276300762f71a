import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { destinationTexts as texts } from '../texts/destinations.ts';
import { TextField } from '../ui/field.tsx';
import { href } from '../ui/link.ts';
import type { Kind } from './draft.ts';
import { formText, KINDS } from './forms.ts';
import { Logo } from './logo.tsx';

const hrefOf = (kind: Kind) => href(`/destinations/new?type=${kind}`);

/** All types of destinations. Enter in the search field chooses the first one found. */
export function KindChoice({ chosen }: { chosen: Kind }) {
  const { route } = useLocation();
  const [typed, setTyped] = useState('');
  const search = typed.trim().toLowerCase();
  const found = KINDS.filter((kind) => [kind, formText(kind), formText(`${kind} help`)].some((text) => text.toLowerCase().includes(search)));
  const [first] = found;
  return (
    <nav class="destination-kinds" aria-label={texts.kind}>
      <TextField
        label={texts.findKind} type="search" maxLength={50} value={typed} onValue={setTyped}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && first !== undefined) route(hrefOf(first));
        }}
      />
      <ul>
        {found.map((kind) => (
          <li key={kind}>
            <a href={hrefOf(kind)} aria-current={kind === chosen ? 'page' : undefined}><Logo kind={kind} />{formText(kind)}</a>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">{first === undefined && texts.noKind}</p>
    </nav>
  );
}
