import { describe, releaseIn } from "./describe.ts"
import { dialectsOf } from "./dialects-of.ts"
import { exactNames, isPrecise, quoteOf, recordFor, recordsOf } from "./genai-prices.ts"
import type { GenaiPrices, PriceRecord, Quote } from "./genai-prices.ts"
import { kindOf } from "./kind-of.ts"
import { differences, finishPrice, higherClasses, keptReason, mergePrice } from "./merge-price.ts"
import { listingsOf } from "./models-dev.ts"
import type { Listing, ModelsDev } from "./models-dev.ts"
import type { Notes } from "./notes.ts"
import { ownerOf } from "./owner-of.ts"
import { makers, undated } from "./resold.ts"
import type { Kind, ModelFacts, Price } from "./shape.ts"
import { vendorSources } from "./vendors.ts"
import type { VendorSource } from "./vendors.ts"
import { unreachableReason, withheldReason } from "./withheld.ts"

/** The two sources, parsed, and the date of the prices (`YYYY-MM-DD`). */
export interface Sources {
  modelsDev: ModelsDev
  genaiPrices: GenaiPrices
  date: string
}

/** Builds the models of one vendor from both sources. */
export class VendorList {
  readonly #sources: Sources
  readonly #notes: Notes
  readonly #vendor: string
  readonly #source: VendorSource
  readonly #listings: Listing[]

  constructor(sources: Sources, notes: Notes, vendor: string, source: VendorSource) {
    this.#sources = sources
    this.#notes = notes
    this.#vendor = vendor
    this.#source = source
    const provider = source.modelsDev
    this.#listings = provider === undefined ? [] : listingsOf(sources.modelsDev, provider)
  }

  /** The facts by model name. */
  models(): Record<string, ModelFacts> {
    const listed = this.#listings.map((listing) => [listing.name, this.#listed(listing)] as const)
    const known = [...listed, ...this.#additions()].filter(([, model]) => model !== undefined)
    return Object.fromEntries(known) as Record<string, ModelFacts>
  }

  #listed(listing: Listing): ModelFacts | undefined {
    if (listing.status === "deprecated") return this.#leaveOut("retired", listing.name)
    const reason = unreachableReason(this.#vendor, listing.name)
    if (reason !== undefined) return this.#leaveOut("unreachable", `${listing.name}: ${reason}`)
    const kind = kindOf(listing)
    if (kind === undefined) return this.#leaveOut("not a kind of ours", listing.name)
    for (const line of listing.notes)
      this.#note("oddities of models.dev", `${listing.name}: ${line}`)
    return this.#describe(listing, kind)
  }

  #additions(): (readonly [string, ModelFacts | undefined])[] {
    const provider = this.#source.genaiPrices
    if (this.#source.additions !== true || provider === undefined) return []
    const listed = new Set(this.#listings.map((listing) => listing.name))
    return recordsOf(this.#sources.genaiPrices, provider).flatMap((record) =>
      exactNames(record)
        .filter((name) => !listed.has(name))
        .map((name) => [name, this.#added(name, record)] as const),
    )
  }

  #added(name: string, record: PriceRecord): ModelFacts | undefined {
    if (record.deprecated === true) return this.#leaveOut("retired", name)
    const resellers = /openrouter/i.test(record.price_comments ?? "")
    const reason = resellers ? "a reseller's price" : withheldReason(this.#vendor, name)
    if (reason !== undefined) return this.#leaveOut("withheld", `${name}: ${reason}`)
    const listing = this.#listingLike(name, record)
    if (listing.status === "deprecated") return this.#leaveOut("retired", name)
    const kind = kindOf(listing)
    if (kind === undefined) return this.#leaveOut("not a kind of ours", name)
    this.#note("known to genai-prices alone", name)
    return this.#describe(listing, kind)
  }

  // A snapshot of a listed model, or its moving alias, has the same price.
  #listingLike(name: string, record: PriceRecord): Listing {
    const stem = undated(name).replace(/-(latest|\d{4})$/, "")
    const base = this.#listings.find((listing) => listing.name === stem) ?? this.#resold(stem)
    if (base !== undefined) return { ...base, name, ...releaseIn(name) }
    const speaks = quoteOf(record, this.#sources.date)?.price.output !== undefined
    return {
      name,
      inputs: ["text"],
      outputs: speaks ? ["text"] : [],
      tools: false,
      reasoning: false,
      notes: [],
      ...(record.context_window ? { context: record.context_window } : {}),
    }
  }

  // openrouter's list of the model's features; its price is not the vendor's.
  #resold(name: string): Listing | undefined {
    const resold = listingsOf(this.#sources.modelsDev, "openrouter").find((listing) => {
      const [organisation = "", bare] = listing.name.split("/")
      return bare === name && makers[organisation] === this.#vendor
    })
    if (resold === undefined) return undefined
    const { price: _, ...facts } = resold
    return facts
  }

  #describe(listing: Listing, kind: Kind): ModelFacts {
    const maker = this.#source.maker === true ? this.#vendor : undefined
    const owner = ownerOf(listing.name, listing.base, maker)
    const price = this.#price(listing.name, listing.price, kind)
    const facts = describe(listing, kind, owner, price && finishPrice(price, kind, owner))
    const dialects = kind === "chat" ? dialectsOf(this.#vendor, listing.name) : undefined
    return dialects === undefined ? facts : { ...facts, dialects }
  }

  #price(name: string, listed: Price | undefined, kind: Kind): Price | undefined {
    const provider = this.#source.genaiPrices
    const record =
      provider === undefined ? undefined : recordFor(this.#sources.genaiPrices, provider, name)
    const quote = record === undefined ? undefined : this.#quote(name, record)
    if (record === undefined || quote === undefined) return listed
    const usable = isPrecise(record, name) && !quote.hourly
    const stale = this.#source.stale === true
    const kept =
      usable && stale ? undefined : keptReason(this.#vendor, name, quote, isPrecise(record, name))
    this.#noteDifference(name, listed, quote, kept)
    if (!usable || (kept !== undefined && listed !== undefined)) return listed
    return mergePrice(listed, quote, higherClasses(kind, stale))
  }

  #quote(name: string, record: PriceRecord): Quote | undefined {
    const quote = quoteOf(record, this.#sources.date)
    if (quote === undefined || this.#vendor !== "openrouter") return quote
    // openrouter passes its makers' prices on, so their long-context prices apply there too.
    const [organisation = "", bare = ""] = name.split("/")
    const provider = vendorSources[makers[organisation] ?? ""]?.genaiPrices
    const theirs = provider && recordFor(this.#sources.genaiPrices, provider, bare)
    const flat = theirs ? quoteOf(theirs, this.#sources.date)?.flat === true : false
    return { ...quote, flat: quote.flat || flat }
  }

  #noteDifference(
    name: string,
    listed: Price | undefined,
    quote: Quote,
    kept: string | undefined,
  ): void {
    const classes = listed === undefined ? [] : differences(listed, quote.price)
    if (classes.length === 0) return
    const pairs = classes.map((each) => `${each} ${listed?.[each]} | ${quote.price[each]}`)
    const rule = this.#source.stale === true ? "the higher of each wins" : "genai-prices wins"
    const verdict = kept === undefined ? rule : `models.dev kept: ${kept}`
    this.#note("sources differ", `${name}: ${pairs.join(", ")} (${verdict})`)
  }

  #leaveOut(topic: string, line: string): undefined {
    this.#note(topic, line)
  }

  #note(topic: string, line: string): void {
    this.#notes.add(topic, `${this.#vendor}/${line}`)
  }
}
