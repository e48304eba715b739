import type { JsonObject } from "../../../canon/json.ts"
import type { Citation } from "../../../canon/message.ts"
import type { WebSearchPart } from "../../../canon/web-search.ts"
import { BytePlaces } from "./byte-places.ts"

/** The most characters of its text that a candidate may repeat in its grounding. */
const MAX_REPEATED = 1_000_000
/** Approximate length of a source or of a supported segment, without its texts. Characters. */
const ENTRY_LENGTH = 80

/** The sources of a candidate's text, as `groundingMetadata`: each source once, and the segments it supports. */
export class Grounding {
  readonly #queries: string[] = []
  readonly #chunks = new Map<string, { readonly index: number; readonly web: JsonObject }>()
  readonly #supports: JsonObject[] = []
  readonly #places = new BytePlaces()
  #repeated = 0
  #wordsLength = 0

  /** Approximate characters of the metadata. */
  get length(): number {
    const count = this.#chunks.size + this.#supports.length
    return count * ENTRY_LENGTH + this.#wordsLength + Math.min(this.#repeated, MAX_REPEATED)
  }

  /** The characters of the candidate's text so far. */
  get textLength(): number {
    return this.#places.length
  }

  /** Adds text of the candidate: positions are counted in its bytes. */
  append(text: string): void {
    this.#places.append(text)
  }

  /** @param partStart the start of the cited part, in characters of the candidate's text. */
  add({ url, title, start, end }: Citation, partStart: number): void {
    if (url === undefined && title === undefined) return
    const index = this.#source(url, title)
    if (start === undefined || end === undefined) return
    const segment = this.#segmentOf(partStart + start, partStart + end)
    this.#supports.push({ segment, groundingChunkIndices: [index] })
  }

  /** Queries and results. */
  search({ queries, pages }: WebSearchPart): void {
    for (const query of queries) {
      this.#queries.push(query)
      this.#wordsLength += query.length
    }
    for (const { url, title } of pages) this.#source(url, title)
  }

  /** Undefined without citations or searches. */
  get metadata(): JsonObject | undefined {
    if (this.#chunks.size + this.#queries.length === 0) return undefined
    return {
      ...(this.#queries.length > 0 && { webSearchQueries: this.#queries }),
      groundingChunks: [...this.#chunks.values()].map(({ web }) => ({ web })),
      groundingSupports: this.#supports,
    }
  }

  /** The index of a source; its title may arrive later than its address. */
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

  /** The words are for readers; the positions alone suffice, however many overlap. */
  #segmentOf(start: number, end: number): JsonObject {
    const startIndex = this.#places.byteAt(start)
    const segment = { startIndex, endIndex: Math.max(startIndex, this.#places.byteAt(end)) }
    this.#repeated += Math.max(0, Math.min(end, this.#places.length) - Math.max(0, start))
    if (this.#repeated > MAX_REPEATED) return segment
    return { ...segment, text: this.#places.slice(Math.max(0, start), Math.max(0, end)) }
  }
}
