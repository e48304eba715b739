import type { PromptMessage } from "./prompt.ts"
import { cutTokens } from "./tokens.ts"

const BLOCK_TOKENS = 1024
const MAX_BLOCKS = 10_000

/**
 * Stores the beginnings of prompts, like vendors, in blocks of 1,024 tokens. Each block's hash is computed with the
 * previous block's hash as its seed, so a known hash means that the whole beginning is known.
 */
export class PromptCache {
  readonly #known = new Set<bigint | number>()

  /** Returns the number of tokens at the prompt's beginning that an earlier prompt also had, and stores the prompt. */
  look(messages: readonly PromptMessage[], promptTokens: number): number {
    if (promptTokens < BLOCK_TOKENS) return 0
    let rest = messages.map((message) => `${message.role}\n${message.text}\n`).join("")
    let hash: bigint | number = 0
    let cached = 0
    let hit = true
    for (;;) {
      const block = cutTokens(rest, BLOCK_TOKENS)
      if (block.tokens < BLOCK_TOKENS) break
      hash = Bun.hash(block.text, hash)
      hit &&= this.#known.has(hash)
      if (hit) cached += BLOCK_TOKENS
      this.#remember(hash)
      rest = rest.slice(block.text.length)
    }
    // This count includes the names of roles, but the vendor's count does not. The result must not exceed the number of
    // prompt tokens.
    return Math.min(cached, Math.floor(promptTokens / BLOCK_TOKENS) * BLOCK_TOKENS)
  }

  #remember(hash: bigint | number): void {
    if (this.#known.size >= MAX_BLOCKS) this.#known.clear()
    this.#known.add(hash)
  }
}
