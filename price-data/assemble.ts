import { exactNames, isPrecise, nextChangeOf, recordFor, recordsOf } from "./genai-prices.ts"
import type { Dispute } from "./consensus.ts"
import { oddities } from "./finish-price.ts"
import { regionalFactors } from "./litellm.ts"
import { Notes } from "./notes.ts"
import { fillFromMakers } from "./passed-on.ts"
import { fillFromElsewhere, makersFacts } from "./resold.ts"
import { listedModels } from "./listed.ts"
import { addSchedules, isOf } from "./scheduled.ts"
import {
  alwaysSearching,
  mistakenRates,
  modelModes,
  modelRates,
  services,
  tiersBegin,
} from "./services.ts"
import type { Facts } from "./shape.ts"
import { VendorList } from "./vendor-list.ts"
import type { Sources } from "./vendor-list.ts"
import { vendorSources } from "./vendors.ts"

/** Builds the facts. The same lists always give the same facts. */
export function assembleFacts(
  sources: Sources,
  generatedFrom: Facts["generated_from"],
): { facts: Facts; notes: Notes; disputes: Dispute[] } {
  const notes = new Notes()
  const disputes: Dispute[] = []
  const facts: Facts = { date: sources.date, generated_from: generatedFrom, services, vendors: {} }
  for (const [vendor, source] of Object.entries(vendorSources)) {
    facts.vendors[vendor] = new VendorList(sources, { notes, disputes }, vendor, source).models()
  }
  addListed(facts)
  addServices(facts)
  addResold(facts, sources, notes)
  addToVertex(facts, notes)
  addRegional(facts, sources)
  for (const name of forgetSearching(facts)) notes.add("search price unknown, so unpriced", name)
  for (const name of addSchedules(facts)) notes.add("price differs from its schedule", name)
  noteAnnounced(facts, sources, notes)
  for (const name of fillFromElsewhere(facts)) notes.add("image price unknown, so unpriced", name)
  fillFromMakers(facts, disputes)
  check(facts, notes)
  return { facts, notes, disputes }
}

/** Reports announced prices that have no schedule yet, so that a schedule is added in time. */
function noteAnnounced(facts: Facts, { genaiPrices, date }: Sources, notes: Notes): void {
  for (const [vendor, { genaiPrices: provider }] of Object.entries(vendorSources)) {
    if (provider === undefined) continue
    for (const [name, { price }] of Object.entries(facts.vendors[vendor] ?? {})) {
      const record = recordFor(genaiPrices, provider, name)
      const from = record && isPrecise(record, name) ? nextChangeOf(record, date) : undefined
      if (from === undefined || price === undefined || price.periods !== undefined) continue
      notes.add("price change announced, without a schedule", `${vendor}/${name} from ${from}`)
    }
  }
}

function addListed(facts: Facts): void {
  for (const [vendor, listed] of Object.entries(listedModels)) {
    const models = { ...listed, ...facts.vendors[vendor] }
    const names = Object.keys(models).toSorted()
    facts.vendors[vendor] = Object.fromEntries(
      names.flatMap((name) => {
        const known = models[name]
        return known === undefined ? [] : [[name, structuredClone(known)]]
      }),
    )
  }
}

/** Adds prices for single models from the vendors' own pages. A value in the lists takes precedence. */
function addServices(facts: Facts): void {
  for (const [vendor, models] of Object.entries(facts.vendors)) {
    for (const [name, { kind, price }] of Object.entries(models)) {
      if (price === undefined) continue
      const isMeant = (entry: { vendor: string; name: RegExp }): boolean =>
        entry.vendor === vendor && entry.name.test(name)
      const modes = kind === "chat" ? modelModes.find(isMeant)?.modes : undefined
      if (modes !== undefined) price.modes = { ...modes, ...price.modes }
      const added = modelRates.find((entry) => isMeant(entry) && isOf(price, entry.listed ?? {}))
      Object.assign(price, { ...added?.rates, ...price })
    }
  }
  correct(facts)
}

function correct(facts: Facts): void {
  for (const { vendor, name, listed, rates } of mistakenRates) {
    const price = facts.vendors[vendor]?.[name]?.price
    if (price !== undefined && isOf(price, listed)) Object.assign(price, rates)
  }
  for (const vendor of tiersBegin) {
    for (const { price } of Object.values(facts.vendors[vendor] ?? {})) {
      const modes = Object.values(price?.modes ?? {})
      const tiers = modes.flatMap((mode) => (typeof mode === "string" ? [] : (mode.tiers ?? [])))
      for (const tier of [...(price?.tiers ?? []), ...tiers]) {
        if (tier.above % 1_000 === 0) tier.above -= 1
      }
    }
  }
}

/**
 * Removes the prices of models that always search at an unknown price.
 * @returns the names of these models.
 */
function forgetSearching(facts: Facts): string[] {
  return alwaysSearching.flatMap(({ vendor, name }) =>
    Object.entries(facts.vendors[vendor] ?? {}).flatMap(([model, known]) => {
      if (known.price === undefined || !name.test(model)) return []
      delete known.price
      return [`${vendor}/${model}`]
    }),
  )
}

// Adds models that openrouter resells and that are missing in its list. openrouter offers new models on the day of
// their release, but its list is older.
function addResold(facts: Facts, sources: Sources, notes: Notes): void {
  const models = facts.vendors["openrouter"] ?? {}
  for (const record of recordsOf(sources.genaiPrices, "openrouter")) {
    for (const name of exactNames(record)) {
      const known = makersFacts(facts, name)
      if (models[name] !== undefined || known === undefined) continue
      models[name] = structuredClone(known)
      notes.add("known to genai-prices alone", `openrouter/${name}`)
    }
  }
}

// Adds models to Vertex, which serves Google's Gemini models under the same names and at the same prices. Vertex's own
// list is older.
function addToVertex(facts: Facts, notes: Notes): void {
  const models = facts.vendors["vertex"] ?? {}
  for (const [name, known] of Object.entries(facts.vendors["google"] ?? {})) {
    if (models[name] !== undefined || known.kind !== "chat" || !name.startsWith("gemini-")) continue
    models[name] = structuredClone(known)
    notes.add("known to google alone", `vertex/${name}`)
  }
}

/** Adds the factors on prices at locations of a vendor. */
function addRegional(facts: Facts, { liteLlm }: Sources): void {
  for (const [vendor, { liteLlm: providers = [] }] of Object.entries(vendorSources)) {
    for (const [name, factor] of regionalFactors(liteLlm, providers)) {
      const model = facts.vendors[vendor]?.[name]
      if (model !== undefined) model.regional = factor
    }
  }
}

function check(facts: Facts, notes: Notes): void {
  for (const [vendor, models] of Object.entries(facts.vendors)) {
    for (const [name, model] of Object.entries(models)) {
      for (const limit of [model.context, model.max_output]) {
        if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) {
          throw new RangeError(`${vendor}/${name}: not a length in tokens: ${limit}`)
        }
      }
      for (const oddity of oddities(model.price ?? {})) {
        notes.add("odd prices", `${vendor}/${name}: ${oddity}`)
      }
      if (model.price === undefined) notes.add("unpriced", `${vendor}/${name}`)
    }
  }
}
