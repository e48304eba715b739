import { buildSettings } from "../../src/config/build.ts"
import type { Settings } from "../../src/config/settings.ts"

/** The settings without a file and without variables. */
export const DEFAULTS: Settings = buildSettings({
  file: {},
  fileDirectory: "/",
  overrides: {},
  environmentProviders: {},
})
