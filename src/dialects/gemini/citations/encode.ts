import type { JsonObject } from "../../../canon/json.ts"
import type { Citation } from "../../../canon/message.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { BytePlaces } from "./byte-places.ts"

/** Maximum characters of a candidate's text that its grounding may repeat. */
const MAX_REPEATED = 1_000_000
/** Approximate characters of a source or of a supported segment, without its texts. */
const ENTRY_LENGTH = 80

/**
 * Builds the `groundingMetadata` of a candidate's text. It contains each source once, with the segments that the source
 * supports.
 */
export class Grounding {
  readonly #queries: string[] = []
  readonly #chunks = new Map<string, { readonly index: number; readonly web: JsonObject }>()
  readonly #supports: JsonObject[] = []
  readonly #places = new BytePlaces()
  #repeated = 0
  #wordsLength = 0

  /** The approximate length of the metadata in characters. */
  get length(): number {
    const count = this.#chunks.size + this.#supports.length
    return count * ENTRY_LENGTH + this.#wordsLength + Math.min(this.#repeated, MAX_REPEATED)
  }

  /** The length of the candidate's text so far, in characters. */
  get textLength(): number {
    return this.#places.length
  }

  /** Adds text of the candidate. Positions are counted in its bytes. */
  append(text: string): void {
    this.#places.append(text)
  }

  /**
   * Adds a citation.
   * @param partStart the start of the cited part, in characters of the candidate's text.
   */
  add({ url, title, start, end }: Citation, partStart: number): void {
    if (url === undefined && title === undefined) return
    const index = this.#source(url, title)
    if (start === undefined || end === undefined) return
    const segment = this.#segmentOf(partStart + start, partStart + end)
    this.#supports.push({ segment, groundingChunkIndices: [index] })
  }

  /** Adds the queries and results of a search. */
  search({ queries, pages }: WebSearchPart): void {
    for (const query of queries) {
      this.#queries.push(query)
      this.#wordsLength += query.length
    }
    for (const { url, title } of pages) this.#source(url, title)
  }

  /** The metadata; undefined if there are no citations and no searches. */
  get metadata(): JsonObject | undefined {
    if (this.#chunks.size + this.#queries.length === 0) return undefined
    return {
      ...(this.#queries.length > 0 && { webSearchQueries: this.#queries }),
      groundingChunks: [...this.#chunks.values()].map(({ web }) => ({ web })),
      groundingSupports: this.#supports,
    }
  }

  /** Returns the index of a source. Its title may arrive later than its address. */
  #source(url: string | undefined, title: string | undefined): number {
    const key = url ?? `\0${title ?? ""}`
    let known = this.#chunks.get(key)
    if (known === undefined) {
      known = { index: this.#chunks.size, web: url === undefined ? {} : { uri: url } }
      this.#chunks.set(key, known)
      this.#wordsLength += key.length
    }
    if (title !== undefined && known.web.title === undefined) {
      known.web.title = title
      this.#wordsLength += title.length
    }
    return known.index
  }

  /**
   * Returns a segment. Its text is for human readers and is left out once `MAX_REPEATED` is reached, since the
   * positions are sufficient.
   */
  #segmentOf(start: number, end: number): JsonObject {
    const startIndex = this.#places.byteAt(start)
    const segment = { startIndex, endIndex: Math.max(startIndex, this.#places.byteAt(end)) }
    this.#repeated += Math.max(0, Math.min(end, this.#places.length) - Math.max(0, start))
    if (this.#repeated > MAX_REPEATED) return segment
    return { ...segment, text: this.#places.slice(Math.max(0, start), Math.max(0, end)) }
  }
}
