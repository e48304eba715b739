import { REMEMBERED } from "./chosen-language.ts"

/** Stores the language in this browser, and loads the page again, because texts are translated when modules load. */
export function chooseLanguage(tag: string): void {
  localStorage.setItem(REMEMBERED, tag)
  window.location.reload()
}
