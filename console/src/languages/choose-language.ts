import { REMEMBERED } from "./chosen-language.ts"

/**
 * Stores the language in this browser, and loads the page again, because texts are translated when modules load.
 * @param tag undefined follows the browser's languages.
 */
export function chooseLanguage(tag: string | undefined): void {
  if (tag === undefined) localStorage.removeItem(REMEMBERED)
  else localStorage.setItem(REMEMBERED, tag)
  window.location.reload()
}
