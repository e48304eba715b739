import type { Writable } from "../../canon/writable.ts"
import { extraOf } from "../../canon/extra.ts"
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
  unknownFields,
} from "../../canon/json.ts"
import type { Citation } from "../../canon/message.ts"
import type { FoundPage, WebSearch, WebSearchPart } from "../../canon/web-search.ts"
import { decodeLocation, foundPage } from "../shared/search.ts"
import { DIALECT } from "./identifiers.ts"

const OPTIONS = "web_search_options"
const FIELDS = new Set(["search_context_size", "user_location"])

/** Returns the web search of a request (openai 7.55, `WebSearchOptions`); undefined if it has no search. */
export function decodeWebSearch(body: JsonObject): WebSearch | undefined {
  const options = body[OPTIONS]
  if (!isJsonObject(options)) return undefined
  const search: Writable<WebSearch> = {
    declared: { dialect: DIALECT, place: OPTIONS, fields: [OPTIONS] },
  }
  const size = textAt(options, "search_context_size")
  if (size !== undefined) search.contextSize = size
  const location = decodeLocation((objectAt(options, "user_location") ?? {}).approximate)
  if (location !== undefined) search.location = location
  const extra = unknownFields(options, FIELDS)
  if (extra !== undefined) search.extra = extraOf(DIALECT, extra)
  return search
}

/** Matches the number of a source in a text, such as `[3]`. */
const MARK = /\[(\d{1,3})\]/g
/** Maximum citations of one response. Marks may repeat without limit. */
const MAX_CITATIONS = 1_000
/** Maximum marks of a text that are read. */
const MAX_MARKS = 10_000
/** Maximum sources of one response. */
const MAX_PAGES = 200

/**
 * The sources that Perplexity and xAI list next to the choices of a response or a chunk. `citations` contains their
 * addresses in the order of their numbers, and `search_results` their titles (docs/contribute/wire/openai-chat.md#f26).
 * `of` returns undefined if no sources are listed.
 */
export class Sources {
  readonly #pages: readonly (FoundPage | undefined)[]
  #citationsLeft = MAX_CITATIONS

  private constructor(pages: readonly (FoundPage | undefined)[]) {
    this.#pages = pages
  }

  static of(body: JsonObject): Sources | undefined {
    if (body.citations === undefined && body.search_results === undefined) return undefined
    const results = listAt(body, "search_results").slice(0, MAX_PAGES).map(pageOf)
    const addresses = listAt(body, "citations").slice(0, MAX_PAGES)
    const byAddress = new Map(results.map((page) => [page?.url, page]))
    const listed = addresses.map((address) => {
      const page = pageOf(address)
      return byAddress.get(page?.url) ?? page
    })
    const pages = listed.length > 0 ? listed : results
    return pages.some((page) => page !== undefined) ? new Sources(pages) : undefined
  }

  /** The search, for dialects that show searches. The usage contains the vendor's number of searches. */
  get search(): WebSearchPart {
    const pages = this.#pages.filter((page) => page !== undefined)
    return { type: "web-search", queries: [], pages, uses: 0, reportedIn: DIALECT }
  }

  /**
   * Returns a citation for each mark in a text. Without marks, each source gets one citation for the whole text.
   * @param text empty if it is not known.
   * @param length length of the text in characters.
   */
  citationsOf(text: string, length: number): Citation[] {
    const marked: Citation[] = []
    let marks = 0
    for (const { 0: mark, 1: number, index } of text.matchAll(MARK)) {
      if (marked.length >= this.#citationsLeft || ++marks > MAX_MARKS) break
      const page = this.#pages[Number(number) - 1]
      if (page === undefined) continue
      marked.push({ ...sourceOf(page), start: index, end: index + mark.length })
    }
    const citations = marked.length > 0 ? marked : this.#citationsOfAll(length)
    this.#citationsLeft -= citations.length
    return citations
  }

  #citationsOfAll(length: number): Citation[] {
    const all = this.#pages.filter((page) => page !== undefined).slice(0, this.#citationsLeft)
    return all.map((page) => ({ ...sourceOf(page), start: 0, end: length }))
  }
}

function pageOf(value: JsonValue): FoundPage | undefined {
  const [page] = isJsonObject(value)
    ? foundPage(textAt(value, "url"), textAt(value, "title"), textAt(value, "date"))
    : foundPage(typeof value === "string" && value !== "" ? value : undefined)
  return page
}

function sourceOf({ url, title }: FoundPage): Citation {
  return title === undefined ? { url } : { url, title }
}
