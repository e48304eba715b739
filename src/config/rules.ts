import { entries, type Finding, member, numberIn } from "./finding.ts"
import { periodFindings } from "./price-periods.ts"
import { providerFindings } from "./provider-rules.ts"
import type { KnownVendor } from "./vendors.ts"
import type { SettingPath } from "./yaml-value.ts"

/**
 * Checks the rules that involve several values. It reads unvalidated data, so that problems are reported even if
 * another value of the entry is invalid.
 */
export function structureFindings(
  file: unknown,
  vendors: readonly KnownVendor[],
  providers: readonly string[],
): Finding[] {
  const findings: Finding[] = []
  for (const [id, provider] of entries(member(file, "providers"))) {
    findings.push(...providerFindings(["providers", id], provider, vendors))
  }
  for (const [id, model] of entries(member(file, "models"))) {
    const path = ["models", id]
    findings.push(...priceFindings([...path, "price"], member(model, "price")))
    findings.push(...hedgeFindings([...path, "hedge"], id, model, file))
    const deployments = member(model, "deployments")
    if (!Array.isArray(deployments)) continue
    findings.push(...weightFindings([...path, "deployments"], deployments))
    for (const [index, deployment] of deployments.entries()) {
      const place = [...path, "deployments", index]
      findings.push(...priceFindings([...place, "price"], member(deployment, "price")))
      const implied = member(deployment, "provider") === undefined
      if (!implied || providers.includes(id.split("/", 1)[0] ?? "")) continue
      const message =
        "needs a provider, since no provider has the name before the slash of the model"
      findings.push({ path: place, message })
    }
  }
  const unknown = member(member(file, "unknown_models"), "price")
  findings.push(...priceFindings(["unknown_models", "price"], unknown))
  findings.push(...groupFindings(member(file, "models"), providers))
  for (const [id, group] of entries(member(file, "price_groups"))) {
    findings.push(...priceGroupFindings(["price_groups", id, "terms"], member(group, "terms")))
  }
  return findings
}

/** Requires the terms of a price group to start at different times, and their prices to be valid. */
function priceGroupFindings(path: SettingPath, terms: unknown): Finding[] {
  if (!Array.isArray(terms)) return []
  const seen = new Set<number>()
  return terms.flatMap((term: unknown, index) => {
    const place = [...path, index]
    const from = Date.parse(String(member(term, "from")))
    const isTaken = seen.has(from)
    seen.add(from)
    const message = "another term begins at the same moment. Keep one of the two"
    const prices = entries(member(term, "prices"))
    return [
      ...(isTaken ? [{ path: [...place, "from"], message }] : []),
      ...prices.flatMap(([glob, price]) => cardFindings([...place, "prices", glob], price)),
    ]
  })
}

/** Rejects periods in the prices of a rate card, because its terms have dates. */
function cardFindings(path: SettingPath, price: unknown): Finding[] {
  if (member(price, "periods") === undefined) return priceFindings(path, price)
  const message =
    "cannot be used in a rate card, whose terms have start dates. Add another term to the group"
  return [{ path: [...path, "periods"], message }]
}

/** Requires a second active deployment or credential if hedging is enabled. */
function hedgeFindings(path: SettingPath, id: string, model: unknown, file: unknown): Finding[] {
  if (String(member(model, "hedge")) !== "true") return []
  const own = id.split("/", 1)[0] ?? ""
  const written = member(model, "deployments")
  const deployments = Array.isArray(written) ? written : [{}]
  const active = deployments.filter((deployment) => member(deployment, "paused") !== true)
  const [only] = active
  if (active.length > 1) return []
  const name = String(member(only, "provider") ?? own)
  const provider = member(member(file, "providers"), name)
  const credentials = member(provider, "api_keys")
  // A provider that is configured elsewhere may have several credentials. The catalog checks these.
  if (provider === undefined || (Array.isArray(credentials) && credentials.length > 1)) return []
  const message = "has no effect, since the model has one deployment. Add another, or remove it"
  return [{ path, message }]
}

function weightFindings(path: SettingPath, deployments: readonly unknown[]): Finding[] {
  const active = deployments.filter((deployment) => member(deployment, "paused") !== true)
  if (deployments.length > 0 && active.length === 0) {
    return [{ path, message: "need at least one deployment that is not paused" }]
  }
  const weights = active.map((deployment) => numberIn(member(deployment, "weight")))
  if (weights.length === 0 || weights.some((weight) => weight !== 0)) return []
  return [{ path, message: "need at least one deployment with a weight above 0" }]
}

function priceFindings(path: SettingPath, price: unknown): Finding[] {
  if (typeof price !== "object" || price === null || Array.isArray(price)) return []
  if (Object.keys(price).length === 0) return [emptyPrice(path)]
  const periods = member(price, "periods")
  const own = Array.isArray(periods) ? periods : []
  return [
    ...tiersAndModes(path, price),
    ...own.flatMap((period: unknown, index) => tiersAndModes([...path, "periods", index], period)),
    ...periodFindings(path, price),
  ]
}

function emptyPrice(path: SettingPath): Finding {
  return { path, message: "is empty. Give it at least one price, such as input: 0.10" }
}

/** Checks the tiers and modes of a price. */
function tiersAndModes(path: SettingPath, card: unknown): Finding[] {
  const modes = entries(member(card, "modes")).flatMap(([name, mode]) => {
    const place = [...path, "modes", name]
    const isTable = typeof mode === "object" && mode !== null
    return isTable && entries(mode).length === 0 ? [emptyPrice(place)] : tierFindings(place, mode)
  })
  return [...tierFindings(path, card), ...modes]
}

function tierFindings(path: SettingPath, price: unknown): Finding[] {
  const tiers = member(price, "tiers")
  if (!Array.isArray(tiers)) return []
  const seen = new Set<number>()
  const findings: Finding[] = []
  for (const [index, tier] of tiers.entries()) {
    const above = numberIn(member(tier, "above"))
    if (above !== undefined && seen.has(above)) {
      const message = "another tier begins above the same length. Keep one of the two"
      findings.push({ path: [...path, "tiers", index, "above"], message })
    }
    if (above !== undefined) seen.add(above)
  }
  return findings
}

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
 * Checks the rules for groups of models in unvalidated data.
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
