import type { JsonObject } from "../../../canon/json.ts"
import type { Citation } from "../../../canon/message.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { BytePlaces } from "./byte-places.ts"

/** Characters of its text that a candidate may repeat where it says what rests on a source. */
const MAX_REPEATED = 1_000_000

/** Where a candidate's text comes from, as `groundingMetadata`: sources once each, and what rests on them. */
export class Grounding {
  readonly #queries: string[] = []
  readonly #chunks = new Map<string, { readonly index: number; readonly web: JsonObject }>()
  readonly #supports: JsonObject[] = []
  readonly #places = new BytePlaces()
  #repeated = 0

  /**
   * @param text all of the candidate's so far: places are counted in its bytes.
   * @param partStart where the part that is cited for begins, in characters.
   */
  add({ url, title, start, end }: Citation, text: string, partStart: number): void {
    const index = this.#source(url, title)
    if (start === undefined || end === undefined) return
    this.#places.grow(text)
    const segment = this.#segmentOf(text, partStart + start, partStart + end)
    this.#supports.push({ segment, groundingChunkIndices: [index] })
  }

  /** What was searched for, and found. */
  search({ queries, pages }: WebSearchPart): void {
    for (const query of queries) this.#queries.push(query)
    for (const { url, title } of pages) this.#source(url, title)
  }

  /** Undefined where nothing is cited, nor searched for. */
  get metadata(): JsonObject | undefined {
    if (this.#chunks.size + this.#queries.length === 0) return undefined
    return {
      ...(this.#queries.length > 0 && { webSearchQueries: this.#queries }),
      groundingChunks: [...this.#chunks.values()].map(({ web }) => ({ web })),
      groundingSupports: this.#supports,
    }
  }

  /** Where a source stands; a title may come later than its address. */
  #source(url: string | undefined, title: string | undefined): number {
    const key = url ?? `\0${title ?? ""}`
    const known = this.#chunks.get(key) ?? { index: this.#chunks.size, web: {} }
    this.#chunks.set(key, known)
    if (url !== undefined) known.web.uri = url
    if (title !== undefined) known.web.title ??= title
    return known.index
  }

  /** The words stand there for readers; the places say the same, however many overlap. */
  #segmentOf(text: string, start: number, end: number): JsonObject {
    const startIndex = this.#places.byteAt(start)
    const segment = { startIndex, endIndex: Math.max(startIndex, this.#places.byteAt(end)) }
    const cited = text.slice(Math.max(0, start), Math.max(0, end))
    this.#repeated += cited.length
    return this.#repeated > MAX_REPEATED ? segment : { ...segment, text: cited }
  }
}
