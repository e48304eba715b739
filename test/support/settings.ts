import { buildSettings } from "../../src/config/build.ts"
import type { Settings } from "../../src/config/settings.ts"

/** The settings if there is no settings file and no environment variable. */
export const DEFAULTS: Settings = buildSettings({
  file: {},
  fileDirectory: "/",
  overrides: {},
  environmentProviders: {},
})

/** Returns limits of the same size for requests, media and responses. Media may come from private addresses. */
export function equalLimits(maxBytes: number): Settings["limits"] {
  return { bodyBytes: maxBytes, mediaBytes: maxBytes, responseBytes: maxBytes, mediaPrivate: true }
}
