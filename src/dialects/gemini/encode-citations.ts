import type { Citation } from "../../canon/chat.ts"
import type { JsonObject } from "../../canon/json.ts"

/** Where a candidate's text comes from, as `groundingMetadata`: sources once each, and what rests on them. */
export class Grounding {
  readonly #chunks = new Map<string, { readonly index: number; readonly chunk: JsonObject }>()
  readonly #supports: JsonObject[] = []

  /**
   * @param text all of the candidate's so far: places are counted in its bytes.
   * @param partStart where the part that is cited for begins, in characters.
   */
  add({ url, title, start, end }: Citation, text: string, partStart: number): void {
    const key = `${url ?? ""}\0${title ?? ""}`
    const web: JsonObject = {}
    if (url !== undefined) web.uri = url
    if (title !== undefined) web.title = title
    const known = this.#chunks.get(key) ?? { index: this.#chunks.size, chunk: { web } }
    this.#chunks.set(key, known)
    if (start === undefined || end === undefined) return
    const segment = segmentOf(text, partStart + start, partStart + end)
    this.#supports.push({ segment, groundingChunkIndices: [known.index] })
  }

  /** Undefined where nothing is cited. */
  get metadata(): JsonObject | undefined {
    if (this.#chunks.size === 0) return undefined
    return {
      groundingChunks: [...this.#chunks.values()].map(({ chunk }) => chunk),
      groundingSupports: this.#supports,
    }
  }
}

function segmentOf(text: string, start: number, end: number): JsonObject {
  const cited = text.slice(start, end)
  const startIndex = Buffer.byteLength(text.slice(0, start))
  return { startIndex, endIndex: startIndex + Buffer.byteLength(cited), text: cited }
}
