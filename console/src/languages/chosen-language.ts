import { type Language, LANGUAGES, matchLanguage } from "./languages.ts"

export const REMEMBERED = "tollgate-language"

/** Returns the language chosen in this browser, or the best match of the browser's languages. */
export function chosenLanguage(): Language {
  // Tests run without a browser's storage.
  const chosen = "localStorage" in globalThis ? localStorage.getItem(REMEMBERED) : null
  return LANGUAGES.find(({ tag }) => tag === chosen) ?? matchLanguage(browserLanguages())
}

function browserLanguages(): readonly string[] {
  return "languages" in navigator ? navigator.languages : []
}
