import { chooseLanguage, language, LANGUAGES, type Language } from '../preferences/language.ts';
import { sessionTexts } from '../texts/session.ts';

/** Header of the signed-out forms: product name and language. */
export function SessionHeader() {
  return (
    <div class="welcoming">
      <p class="brand"><img src="/console/assets/icon.svg" alt="" width="32" height="32" /> <span>Farwatch</span></p>
      <select
        class="language" aria-label={sessionTexts.language} value={language.value}
        onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as Language)}
      >
        {(Object.keys(LANGUAGES) as Language[]).map((each) => <option key={each} value={each}>{LANGUAGES[each]}</option>)}
      </select>
    </div>
  );
}
