import { editingTexts } from '../texts/editing.ts';
import { TYPES, type MonitorType } from './fields.ts';

export function TypePicker({ value, onValue }: { value: MonitorType; onValue: (type: MonitorType) => void }) {
  return (
    <fieldset class="types">
      <legend>{editingTexts.type}</legend>
      {TYPES.map((type) => (
        <label key={type} class="type">
          <input type="radio" name="type" value={type} checked={type === value} onChange={() => onValue(type)} />
          <span><strong>{editingTexts[type]}</strong><span class="faint small">{editingTexts[`${type}_long`]}</span></span>
        </label>
      ))}
    </fieldset>
  );
}
