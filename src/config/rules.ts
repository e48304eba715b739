import { entries, type Finding, member, numberIn } from "./finding.ts"
import { groupFindings } from "./group-rules.ts"
import { periodFindings } from "./price-periods.ts"
import { providerFindings } from "./provider-rules.ts"
import type { KnownVendor } from "./vendors.ts"
import type { SettingPath } from "./yaml-file.ts"

/**
 * Checks the rules that involve several values, on unvalidated data. Problems are therefore reported even if another
 * value of the entry is invalid.
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
