import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ConfigError } from "../../src/config/config-error.ts"
import { parseDuration } from "../../src/config/duration.ts"
import { loadSettings } from "../../src/config/load.ts"
import type { Settings } from "../../src/config/settings.ts"
import { vendors } from "../../src/vendors/index.ts"

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string>>

/** Maximum shutdown time in addition to the drain and its delay, in milliseconds (docs/run/install.md). */
const ENDING = 25_000

/**
 * Reads settings as the gateway does.
 * @param text the text of `tollgate.yaml`.
 * @returns the settings, unless they are rejected, and the gateway's messages about them.
 */
export function readSettings(
  environment: Variables,
  text = "",
): { readonly settings?: Settings; readonly faults: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-deploy-"))
  const file = join(folder, "tollgate.yaml")
  try {
    writeFileSync(file, text)
    const known = [...vendors.values()]
    const { settings, warnings } = loadSettings({ environment, vendors: known, file })
    return { settings, faults: warnings }
  } catch (error) {
    if (error instanceof ConfigError) return { faults: [error.message] }
    throw error
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Returns the faults of a supervisor's grace period, in which a node must end.
 * @param grace the period, such as `50s`.
 */
export function graceFaults({ server }: Settings, grace: string): string[] {
  const needed = server.drainDelay + server.drain + ENDING
  const given = parseDuration(grace)
  if (given !== undefined && given >= needed) return []
  return [`a node is killed after ${grace}, and may need ${needed / 1_000}s to end`]
}
