/** Lifetime of a cached prompt beginning. */
export type CacheLifetime = "5m" | "1h"

/** One block of a prompt, in the order in which the vendor reads them. */
export interface CacheBlock {
  readonly text: string
  readonly tokens: number
  /** Set if the caller marks the end of this block for caching. */
  readonly marker?: CacheLifetime | undefined
}

/** Tokens of a prompt that were read from the cache, and tokens that were written for each lifetime. */
export interface MarkedUsage {
  readonly read: number
  readonly written: Readonly<Record<CacheLifetime, number>>
}

const MIN_TOKENS = 1024
const MAX_BEGINNINGS = 10_000

/**
 * Stores the beginnings of prompts that the caller marks, like Anthropic and Bedrock. Beginnings below 1,024 tokens are
 * not stored. Each block's hash is computed with the previous block's hash as its seed.
 */
export class MarkedCache {
  readonly #known = new Set<bigint | number>()

  /** Returns the number of cached and of newly written tokens of a prompt, and stores the marked beginnings. */
  look(blocks: readonly CacheBlock[]): MarkedUsage {
    const last = blocks.findLastIndex((block) => block.marker !== undefined)
    const written = { "5m": 0, "1h": 0 }
    let read = 0
    let counted = 0
    let tokens = 0
    let hash: bigint | number = 0
    const fresh: (bigint | number)[] = []
    for (const block of blocks.slice(0, last + 1)) {
      tokens += block.tokens
      hash = Bun.hash(block.text, hash)
      if (tokens < MIN_TOKENS) continue
      if (this.#known.has(hash)) {
        read = counted = tokens
        written["5m"] = written["1h"] = 0
      } else if (block.marker !== undefined) {
        written[block.marker] += tokens - counted
        counted = tokens
        fresh.push(hash)
      }
    }
    for (const beginning of fresh) this.#remember(beginning)
    return { read, written }
  }

  #remember(hash: bigint | number): void {
    if (this.#known.size >= MAX_BEGINNINGS) this.#known.clear()
    this.#known.add(hash)
  }
}
