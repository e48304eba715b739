import { t } from "../languages/text.ts"

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\//, "Firefox"],
  [/(Chrome|HeadlessChrome)\//, "Chrome"],
  [/Safari\//, "Safari"],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
]

/** Describes the browser and the system that a `user-agent` header names. */
export function deviceText(agent: string | null): string {
  if (agent === null || agent === "") return t("Unknown device")
  const browser = nameOf(BROWSERS, agent)
  const system = nameOf(SYSTEMS, agent)
  if (browser === undefined) return system ?? agent.slice(0, 40)
  return system === undefined ? browser : t("{browser} on {system}", { browser, system })
}

function nameOf(names: typeof BROWSERS, agent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(agent))?.[1]
}
