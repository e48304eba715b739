import { type Language, LANGUAGES, matchLanguage } from "./languages.ts"

export const REMEMBERED = "tollgate-language"

/** Returns the language chosen in this browser, or the best match of the browser's languages. */
export function chosenLanguage(): Language {
  const chosen = rememberedTag()
  return LANGUAGES.find(({ tag }) => tag === chosen) ?? matchLanguage(browserLanguages())
}

/** Returns the tag of the language chosen in this browser; undefined if the browser's languages decide. */
export function rememberedTag(): string | undefined {
  // Tests run without a browser's storage.
  const storage = globalThis.localStorage as Storage | undefined
  return storage?.getItem(REMEMBERED) ?? undefined
}

function browserLanguages(): readonly string[] {
  return (navigator.languages as readonly string[] | undefined) ?? []
}
