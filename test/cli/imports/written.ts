import { existsSync, readFileSync } from "node:fs"

/** Reads the variables in the file next to imported settings, as a shell would. */
export function variablesIn(settingsPath: string): Record<string, string> {
  const path = `${settingsPath}.env`
  if (!existsSync(path)) return {}
  const lines = readFileSync(path, "utf8").trim().split("\n")
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.indexOf("=")
      return [line.slice(0, end), line.slice(end + 2, -1).replaceAll("'\\''", "'")]
    }),
  )
}
