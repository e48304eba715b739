import type { PlannedChoice } from "../response.ts"
import { base62 } from "../identifiers.ts"
import { parseObject } from "../json.ts"
import type { MarkedUsage } from "../marked-cache.ts"
import { REDACTION_WORD } from "../signer.ts"
import { thinkingText } from "../thinking-text.ts"
import type { CountedUsage } from "../usage.ts"
import { SIGNER } from "./signer.ts"

/** One block of a response's content. */
export type ResponseBlock =
  | { readonly kind: "reasoning"; readonly text: string; readonly signature: string }
  | { readonly kind: "redacted"; readonly content: string }
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "call"
      readonly id: string
      readonly name: string
      readonly argumentsText: string
    }

/** The content of a response. */
export interface ConverseResponse {
  readonly blocks: readonly ResponseBlock[]
  readonly stopReason: string
  /** The `usage` object; undefined if usage is not reported. */
  readonly usage: object | undefined
}

/** The model's reported latency. */
export const METRICS = { latencyMs: 12 }

/** Returns the blocks of a planned response. Reasoning comes first, then text or calls. */
export function answerBlocks(choice: PlannedChoice, echo: string): ResponseBlock[] {
  const blocks: ResponseBlock[] = []
  if (choice.reasoningTokens > 0) {
    const text = thinkingText(echo, choice.reasoningTokens)
    blocks.push(
      echo.includes(REDACTION_WORD)
        ? { kind: "redacted", content: SIGNER.wrap(text) }
        : { kind: "reasoning", text, signature: SIGNER.sign(text) },
    )
  }
  if (choice.text !== null && choice.text !== "") blocks.push({ kind: "text", text: choice.text })
  for (const { name, argumentsText } of choice.calls) {
    blocks.push({ kind: "call", id: `tooluse_${base62(22)}`, name, argumentsText })
  }
  return blocks
}

/** Returns a choice's `stopReason` (docs/contribute/wire/bedrock-converse.md#f4). */
export function stopReason(choice: PlannedChoice): string {
  switch (choice.ending) {
    case "call":
    case "forced-call":
      return "tool_use"
    case "length":
      return "max_tokens"
    case "stop":
      return choice.stoppedBy === null ? "end_turn" : "stop_sequence"
  }
}

/**
 * Returns the `usage` object as recorded. Input tokens exclude cached tokens, and the total includes them
 * (docs/contribute/wire/bedrock-converse.md#f7).
 */
export function usageObject(counted: CountedUsage, { read, written }: MarkedUsage) {
  const write = written["5m"] + written["1h"]
  const details = (["5m", "1h"] as const)
    .filter((ttl) => written[ttl] > 0)
    .map((ttl) => ({ inputTokens: written[ttl], ttl }))
  return {
    ...(details.length === 0 ? {} : { cacheDetails: details }),
    cacheReadInputTokenCount: read,
    cacheReadInputTokens: read,
    cacheWriteInputTokenCount: write,
    cacheWriteInputTokens: write,
    inputTokens: counted.prompt - read - write,
    outputTokens: counted.completion,
    serverToolUsage: {},
    totalTokens: counted.prompt + counted.completion,
  }
}

function blockObject(block: ResponseBlock): object {
  switch (block.kind) {
    case "reasoning": {
      const { signature, text } = block
      return { reasoningContent: { reasoningText: { signature, text } } }
    }
    case "redacted":
      return { reasoningContent: { redactedContent: block.content } }
    case "text":
      return { text: block.text }
    case "call": {
      const { id, name, argumentsText } = block
      return { toolUse: { input: parseObject(argumentsText), name, toolUseId: id } }
    }
  }
}

/** Returns the JSON text of a response that is not streamed (docs/contribute/wire/bedrock-converse.md#f12). */
export function resultText({ blocks, stopReason, usage }: ConverseResponse): string {
  return JSON.stringify({
    metrics: METRICS,
    output: { message: { content: blocks.map(blockObject), role: "assistant" } },
    stopReason,
    ...(usage === undefined ? {} : { usage }),
  })
}
