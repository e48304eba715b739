/**
 * Writes the tables of docs/reference/settings.md from the declared settings. `npm run pages` writes the page; a test
 * compares it with the declarations.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DECLARED_SETTINGS, type DeclaredSetting } from "../src/config/declared-settings.ts"

export const SETTINGS_PAGE = join(import.meta.dir, "../docs/reference/settings.md")

const HEAD = ["file", "environment", "default", "applied", ""]
const TABLE = /(<!-- settings: ([\w, ]+);[^>]*-->\n)[^]*?(<!-- \/settings -->)/g

/** Returns the page with the tables generated from the code. */
export function settingsPage(): string {
  return readFileSync(SETTINGS_PAGE, "utf8").replace(
    TABLE,
    (_table, begin: string, sections: string, end: string) =>
      `${begin}\n${tableOf(sections.split(", "))}\n\n${end}`,
  )
}

function tableOf(sections: readonly string[]): string {
  const rows = sections.flatMap((section) =>
    DECLARED_SETTINGS.filter(({ name }) => name.split(".", 1)[0] === section).map(rowOf),
  )
  return [HEAD, HEAD.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
}

function rowOf(setting: DeclaredSetting): string[] {
  const { name, environment, otherVariables = [], otherwise = "", documentation } = setting
  const written = setting.default ?? setting.implied
  return [
    code(name),
    [...(environment === undefined ? [] : [environment]), ...otherVariables].map(code).join(", "),
    written === undefined ? otherwise : code(written),
    appliedOf(setting),
    documentation,
  ]
}

function appliedOf({ needsRestart, console }: DeclaredSetting): string {
  if (needsRestart) return "restart"
  return console === undefined ? "live" : "live, console"
}

function code(text: string): string {
  return `\`${text}\``
}

if (import.meta.main) await Bun.write(SETTINGS_PAGE, settingsPage())
