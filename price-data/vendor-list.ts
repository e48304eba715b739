import { type Dispute, type ListName, type ListQuote, settle } from "./consensus.ts"
import { describe, releaseIn } from "./describe.ts"
import { dialectsOf } from "./dialects-of.ts"
import { exactNames, isPrecise, quoteOf, recordFor, recordsOf } from "./genai-prices.ts"
import type { GenaiPrices, PriceRecord, Quote } from "./genai-prices.ts"
import { kindOf } from "./kind-of.ts"
import { entriesOf, type LiteLlm, type LiteLlmEntry } from "./litellm.ts"
import { comparable, finishPrice, isFree, times } from "./finish-price.ts"
import { listingsOf } from "./models-dev.ts"
import type { Listing, ModelsDev } from "./models-dev.ts"
import type { Notes } from "./notes.ts"
import { ownSearches } from "./own-searches.ts"
import { ownerOf } from "./owner-of.ts"
import { makers, undated } from "./resold.ts"
import type { Kind, ModelFacts, Price } from "./shape.ts"
import { vendorSources } from "./vendors.ts"
import type { VendorSource } from "./vendors.ts"
import { distrustReason, unreachableReason, withheldReason } from "./withheld.ts"

/** The three parsed lists, and the date of the prices (`YYYY-MM-DD`). */
export interface Sources {
  modelsDev: ModelsDev
  genaiPrices: GenaiPrices
  liteLlm: LiteLlm
  date: string
  /** Whether the gateway can call models of a kind at a vendor. */
  isServed: (vendor: string, kind: Kind) => boolean
  /** The date of each list. */
  dates: Readonly<Record<ListName, string>>
}

/**
 * Vendors with separate search prices for single models. For other vendors, the lists mix several kinds of searches,
 * and the vendor's own page has one price for all models (`services.ts`).
 */
const searchingVendors = new Set(["google", "vertex", "perplexity"])

/** Output modalities by kind, for models that only LiteLLM lists. */
const OUTPUTS: Readonly<Partial<Record<Kind, string[]>>> = { image: ["image"], speech: ["audio"] }

/**
 * help.aliyun.com/zh/model-studio/deep-thinking: these models think if `enable_thinking` is set, although models.dev
 * lists them as models without thinking.
 */
const THINKING = { vendor: "alibaba", name: /^qwen3-max/ }

/** Results of a run in addition to the facts. */
export interface Report {
  notes: Notes
  disputes: Dispute[]
}

/** Builds the models of one vendor from the lists. */
export class VendorList {
  readonly #sources: Sources
  readonly #notes: Notes
  readonly #disputes: Dispute[]
  readonly #vendor: string
  readonly #source: VendorSource
  readonly #listings: Listing[]
  readonly #entries: Map<string, LiteLlmEntry>

  constructor(sources: Sources, report: Report, vendor: string, source: VendorSource) {
    this.#sources = sources
    this.#notes = report.notes
    this.#disputes = report.disputes
    this.#vendor = vendor
    this.#source = source
    const provider = source.modelsDev
    this.#listings = provider === undefined ? [] : listingsOf(sources.modelsDev, provider)
    this.#entries = entriesOf(sources.liteLlm, source.liteLlm ?? [])
  }

  /** Returns the facts by model name. */
  models(): Record<string, ModelFacts> {
    const listed = this.#listings.map((listing) => [listing.name, this.#listed(listing)] as const)
    const known = [...listed, ...this.#additions()].filter(([, model]) => model !== undefined)
    return Object.fromEntries(known) as Record<string, ModelFacts>
  }

  #listed(listing: Listing): ModelFacts | undefined {
    if (this.#isRetired(listing)) return this.#leaveOut("retired", listing.name)
    const reason = unreachableReason(this.#vendor, listing.name)
    if (reason !== undefined) return this.#leaveOut("unreachable", `${listing.name}: ${reason}`)
    const kind = this.#kindOf(listing)
    if (kind === undefined) return this.#leaveOut("not a kind of ours", listing.name)
    for (const line of listing.notes)
      this.#note("oddities of models.dev", `${listing.name}: ${line}`)
    return this.#describe(listing, kind)
  }

  #additions(): (readonly [string, ModelFacts | undefined])[] {
    const listed = new Set(this.#listings.map(({ name }) => name.toLowerCase()))
    const names = new Map<string, PriceRecord | undefined>(
      [...this.#entries.values()]
        .filter((entry) => this.#isEnough(entry))
        .map(({ name }) => [name, undefined]),
    )
    for (const [name, record] of this.#quoted()) {
      // Both lists contain withdrawn models and misspelt names, but they rarely share a wrong name. A name in both
      // lists is therefore accepted.
      if (this.#isNamedTwice(name)) names.set(name, record)
    }
    return [...names]
      .filter(([name]) => !listed.has(name.toLowerCase()))
      .map(([name, record]) => [name, this.#added(name, record)] as const)
  }

  /** Returns the names in genai-prices, with their records. */
  #quoted(): (readonly [string, PriceRecord])[] {
    const { genaiPrices: provider, additions } = this.#source
    if (provider === undefined || additions !== true) return []
    return recordsOf(this.#sources.genaiPrices, provider).flatMap((record) =>
      exactNames(record).map((name) => [name, record] as const),
    )
  }

  /** Whether LiteLLM's entry is sufficient to add a model that no other list contains. */
  #isEnough({ kind, price, ends, source }: LiteLlmEntry): boolean {
    if (kind === undefined || price === undefined || isFree(price)) return false
    // The other two lists cover only chat models.
    if (kind !== "chat") return true
    // People maintain the withdrawal dates, so they are reliable.
    if (ends !== undefined) return ends > this.#sources.date
    return this.#source.sourced === true && source !== undefined
  }

  #isNamedTwice(name: string): boolean {
    return (
      this.#entries.has(name) || this.#source.liteLlm === undefined || this.#vendor === "voyage"
    )
  }

  #added(name: string, record: PriceRecord | undefined): ModelFacts | undefined {
    const entry = this.#entries.get(name)
    const isOver = entry?.ends !== undefined && entry.ends <= this.#sources.date
    if (record?.deprecated === true || isOver) return this.#leaveOut("retired", name)
    const resellers = /openrouter/i.test(record?.price_comments ?? "")
    const own = entry !== undefined && this.#source.sourced && this.#isEnough(entry)
    const reason = resellers
      ? "a reseller's price"
      : (unreachableReason(this.#vendor, name) ??
        (own ? undefined : withheldReason(this.#vendor, name)))
    if (reason !== undefined) return this.#leaveOut("withheld", `${name}: ${reason}`)
    const listing = this.#listingLike(name, record)
    if (this.#isRetired(listing)) return this.#leaveOut("retired", name)
    const kind = this.#kindOf(listing)
    if (kind === undefined) return this.#leaveOut("not a kind of ours", name)
    this.#note("added to the list of models.dev", name)
    return this.#describe(listing, kind)
  }

  /** Returns the kind of a model; undefined if the model is omitted or the kind is not supported at the vendor. */
  #kindOf(listing: Listing): Kind | undefined {
    const kind = kindOf(listing)
    return kind !== undefined && this.#sources.isServed(this.#vendor, kind) ? kind : undefined
  }

  // Whether a model has been withdrawn. A model with an announced withdrawal can still be called.
  #isRetired({ name, status }: Listing): boolean {
    const ends = this.#entries.get(name)?.ends
    if (status !== "deprecated") return false
    return ends === undefined || ends <= this.#sources.date
  }

  // Returns the listing for a name. A snapshot or a moving alias of a listed model has the same price as that model.
  #listingLike(name: string, record: PriceRecord | undefined): Listing {
    const stem = undated(name).replace(/-(latest|\d{4})$/, "")
    const base = this.#listings.find((listing) => listing.name === stem) ?? this.#resold(stem)
    if (base !== undefined) return { ...base, name, ...releaseIn(name) }
    const quote = record === undefined ? undefined : quoteOf(record, this.#sources.date)
    const entry = this.#entries.get(name)
    const speaks = (quote?.price ?? entry?.price)?.output !== undefined
    const context = record?.context_window ?? entry?.context
    return {
      name,
      inputs: entry?.kind === "transcription" ? ["audio"] : (entry?.inputs ?? ["text"]),
      outputs: OUTPUTS[entry?.kind ?? "chat"] ?? (speaks ? ["text"] : []),
      tools: entry?.tools === true,
      reasoning: entry?.reasoning === true,
      notes: [],
      ...releaseIn(name),
      ...(context ? { context } : {}),
      ...(entry?.maxOutput === undefined ? {} : { maxOutput: entry.maxOutput }),
    }
  }

  // Returns the features of the model in openrouter's list. The price in that list is not the vendor's price.
  #resold(name: string): Listing | undefined {
    const resold = listingsOf(this.#sources.modelsDev, "openrouter").find((listing) => {
      const [organization = "", bare] = listing.name.split("/")
      return bare === name && makers[organization] === this.#vendor
    })
    if (resold === undefined) return undefined
    const { price: _, ...facts } = resold
    return facts
  }

  #describe(listing: Listing, kind: Kind): ModelFacts {
    const owner = ownerOf(listing.name, listing.base, this.#source.maker)
    const settled = settle(this.#quotes(listing, kind), kind, this.#source)
    for (const dispute of settled?.disputes ?? []) {
      this.#disputes.push({ model: `${this.#vendor}/${listing.name}`, ...dispute })
    }
    const price = settled && finishPrice(settled.price, { vendor: this.#vendor, owner })
    const thinks = this.#vendor === THINKING.vendor && THINKING.name.test(listing.name)
    const corrected = thinks ? { ...listing, reasoning: true, hasReasoningSwitch: true } : listing
    const facts = describe(corrected, kind, owner, price)
    if (settled !== undefined) facts.priced = settled.date
    const searches = ownSearches(this.#vendor, listing.name)
    if (searches !== undefined) facts.own_searches = searches
    const dialects = kind === "chat" ? dialectsOf(this.#vendor, listing.name) : undefined
    return dialects === undefined ? facts : { ...facts, dialects }
  }

  /** Returns the price of a model in each list. */
  #quotes({ name, price: listed }: Listing, kind: Kind): ListQuote[] {
    const { dates } = this.#sources
    const quotes: ListQuote[] = []
    const quote = this.#genaiQuote(name)
    if (quote !== undefined)
      quotes.push({ list: "genai-prices", date: dates["genai-prices"], ...quote })
    if (listed !== undefined)
      quotes.push({ list: "models.dev", date: dates["models.dev"], price: listed })
    const entry = this.#entries.get(name)?.price
    if (entry !== undefined) quotes.push({ list: "LiteLLM", date: dates["LiteLLM"], price: entry })
    const compared = quotes.map((each) => ({
      ...each,
      price: comparable(this.#inDollars(each, name), kind, searchingVendors.has(this.#vendor)),
    }))
    // Lists also write 0 for unknown prices.
    const paid = compared.filter((each) => !isFree(each.price))
    if (paid.length > 0) return paid
    return this.#source.free?.test(name) === false ? [] : compared
  }

  #inDollars({ list, price }: ListQuote, name: string): Price {
    const { unconverted } = this.#source
    const isConverted = list === "models.dev" && unconverted?.converted.test(name)
    return unconverted === undefined || isConverted ? price : times(price, unconverted.rate)
  }

  #genaiQuote(name: string): Quote | undefined {
    const provider = this.#source.genaiPrices
    const record =
      provider === undefined ? undefined : recordFor(this.#sources.genaiPrices, provider, name)
    if (record === undefined) return undefined
    const reason = isPrecise(record, name)
      ? distrustReason(this.#vendor, name)
      : "the quote is of a model whose name is only like this one's"
    if (reason === undefined) return this.#quote(name, record)
    return this.#leaveOut("quotes of genai-prices not used", `${name}: ${reason}`)
  }

  #quote(name: string, record: PriceRecord): Quote | undefined {
    const quote = quoteOf(record, this.#sources.date)
    if (quote === undefined || this.#vendor !== "openrouter") return quote
    // openrouter charges the makers' prices, so the makers' long-context prices apply there too.
    const [organization = "", bare = ""] = name.split("/")
    const provider = vendorSources[makers[organization] ?? ""]?.genaiPrices
    const theirs = provider && recordFor(this.#sources.genaiPrices, provider, bare)
    const flat = theirs ? quoteOf(theirs, this.#sources.date)?.flat === true : false
    return { ...quote, flat: quote.flat || flat }
  }

  #leaveOut(topic: string, line: string): undefined {
    this.#note(topic, line)
  }

  #note(topic: string, line: string): void {
    this.#notes.add(topic, `${this.#vendor}/${line}`)
  }
}
