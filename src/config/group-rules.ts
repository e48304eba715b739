import { numberIn, entries, type Finding, member } from "./finding.ts"
import type { SettingPath } from "./yaml-file.ts"

/** Settings that the members of a group may have, but not the group itself. */
const OF_MEMBERS = [
  "kind",
  "price",
  "multiplier",
  "context",
  "max_output",
  "max_input",
  "own_searches",
  "dialects",
  "rules",
  "deployments",
] as const

/**
 * Checks the rules for groups of models, on unvalidated data like all rules.
 * @param models the section of this name.
 * @param providers the ids of the configured providers.
 */
export function groupFindings(models: unknown, providers: readonly string[]): Finding[] {
  const groups = entries(models).filter(([, entry]) => member(entry, "members") !== undefined)
  const ids = new Set(groups.map(([id]) => id))
  return groups.flatMap(([id, entry]) => {
    const path = ["models", id]
    const [provider = ""] = id.split("/", 1)
    const stray = OF_MEMBERS.filter((name) => member(entry, name) !== undefined)
    return [
      ...(providers.includes(provider) ? [{ path, message: NAMESAKE }] : []),
      ...stray.map((name) => ({ path: [...path, name], message: OWN })),
      ...memberFindings([...path, "members"], id, member(entry, "members"), ids),
    ]
  })
}

const NAMESAKE =
  "is a group and has the name of a provider before the slash, so that a key for all models of that provider could call its members. Give it another name, such as auto/cheap"
const OWN =
  "belongs to the members of a group, and not to the group. Remove it, or remove 'members'"

function memberFindings(
  path: SettingPath,
  id: string,
  members: unknown,
  groups: ReadonlySet<string>,
): Finding[] {
  if (!Array.isArray(members)) return []
  const seen = new Set<unknown>()
  const findings = members.flatMap((entry: unknown, index): Finding[] => {
    const isNamed = typeof entry === "object" && entry !== null
    const name = isNamed ? member(entry, "model") : entry
    const message = faultOf(name, id, groups, seen)
    seen.add(name)
    if (message === undefined) return []
    return [{ path: [...path, index, ...(isNamed ? ["model"] : [])], message }]
  })
  const weights = members.map((entry: unknown) => numberIn(member(entry, "weight")))
  if (weights.length > 0 && weights.every((weight) => weight === 0)) {
    findings.push({ path, message: "need at least one member with a weight above 0" })
  }
  return findings
}

function faultOf(
  name: unknown,
  id: string,
  groups: ReadonlySet<string>,
  seen: ReadonlySet<unknown>,
): string | undefined {
  if (name === id) return "is the group itself, which cannot be its own member"
  if (typeof name !== "string") return undefined
  if (groups.has(name))
    return `'${name}' is a group too, and a group can contain only models. List the models of that group`
  return seen.has(name) ? `names '${name}' a second time. Keep one of the two` : undefined
}
