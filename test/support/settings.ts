import { buildSettings } from "../../src/config/build.ts"
import type { Settings } from "../../src/config/settings.ts"

/** The settings without a file and without variables. */
export const DEFAULTS: Settings = buildSettings({
  file: {},
  fileDirectory: "/",
  overrides: {},
  environmentProviders: {},
})

/** Limits of one size for requests, media and answers. Media may come from private addresses. */
export function equalLimits(maxBytes: number): Settings["limits"] {
  return { bodyBytes: maxBytes, mediaBytes: maxBytes, answerBytes: maxBytes, mediaPrivate: true }
}
