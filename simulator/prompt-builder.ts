import type { CacheBlock, CacheLifetime } from "./marked-cache.ts"
import type { PromptMessage } from "./prompt.ts"
import { countTokens } from "./tokens.ts"
import { MESSAGE_TOKENS } from "./usage.ts"

/** One block of a message after reading. */
export interface ReadBlock {
  /** The visible text; absent for hidden content, such as calls and thinking. */
  readonly text?: string
  readonly textTokens: number
  readonly mediaTokens: number
  /** The block's source text, which distinguishes blocks with the same visible text. */
  readonly source: string
  readonly marker?: CacheLifetime | undefined
}

/** Collects the messages of a prompt from blocks. It also collects the blocks for the cache. */
export class PromptBuilder {
  readonly messages: PromptMessage[] = []
  readonly blocks: CacheBlock[] = []
  /** Tokens of the tools' definitions. */
  toolTokens = 0

  /** Adds the definition of a tool, as text. Tools come before all messages. */
  tool(definition: string, marker?: CacheLifetime): void {
    const tokens = countTokens(definition)
    this.toolTokens += tokens
    this.blocks.push({ text: `tool\n${definition}`, tokens, marker })
  }

  /** Adds a message. A message without blocks is omitted. */
  message(role: PromptMessage["role"], content: readonly ReadBlock[]): void {
    if (content.length === 0) return
    let textTokens = 0
    let mediaTokens = 0
    for (const [index, block] of content.entries()) {
      textTokens += block.textTokens
      mediaTokens += block.mediaTokens
      const overhead = index === 0 ? MESSAGE_TOKENS : 0
      const tokens = overhead + block.textTokens + block.mediaTokens
      this.blocks.push({ text: `${role}\n${block.source}`, tokens, marker: block.marker })
    }
    const texts = content.flatMap((block) => (block.text === undefined ? [] : [block.text]))
    this.messages.push({ role, text: texts.join("\n"), textTokens, mediaTokens, audioTokens: 0 })
  }

  /** Marks the end of the last added block for caching. */
  markLast(marker: CacheLifetime): void {
    const last = this.blocks.pop()
    if (last !== undefined) this.blocks.push({ ...last, marker })
  }
}
