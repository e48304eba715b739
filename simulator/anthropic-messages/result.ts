import type { PlannedChoice } from "../response.ts"
import type { ThinkingOptions } from "../claude-thinking.ts"
import { base62 } from "../identifiers.ts"
import { type JsonObject, parseObject } from "../json.ts"
import type { MarkedUsage } from "../marked-cache.ts"
import { REDACTION_WORD } from "../signer.ts"
import { thinkingText } from "../thinking-text.ts"
import type { CountedUsage } from "../usage.ts"
import { SIGNER } from "./signer.ts"

/** One block of a response's content. */
export type ResponseBlock =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | {
      readonly type: "server_tool_use"
      readonly id: string
      readonly name: "web_search"
      readonly input: { readonly query: string }
    }
  | {
      readonly type: "web_search_tool_result"
      readonly tool_use_id: string
      readonly content: JsonObject[]
    }
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use"
      readonly id: string
      readonly name: string
      readonly argumentsText: string
    }

/** The content of a response. */
export interface MessageResponse {
  readonly id: string
  /** The container in which tools ran code; null if no tool ran code. */
  readonly container: JsonObject | null
  /** The model's dated name. */
  readonly model: string
  readonly blocks: readonly ResponseBlock[]
  readonly stopReason: string
  readonly stopSequence: string | null
  /** The usage; undefined if usage is not reported. */
  readonly usage: MessageUsage | undefined
}

/** Counted tokens in Anthropic's classes, which do not overlap. */
export interface MessageUsage {
  readonly input: number
  readonly cache: MarkedUsage
  /** Output tokens, including thinking. */
  readonly output: number
  readonly thinking: number
  readonly searches: number
}

/** Returns a new `msg_` id. */
export function messageId(): string {
  return `msg_01${base62(22)}`
}

/** Returns the blocks of a planned response. Thinking comes first, then text or calls. */
export function answerBlocks(
  choice: PlannedChoice,
  echo: string,
  options: ThinkingOptions,
  searches: readonly string[],
): ResponseBlock[] {
  const blocks: ResponseBlock[] = []
  if (choice.reasoningTokens > 0) {
    const thought = thinkingText(echo, choice.reasoningTokens)
    if (echo.includes(REDACTION_WORD)) {
      blocks.push({ type: "redacted_thinking", data: SIGNER.wrap(thought) })
    } else {
      const thinking = options.isOmitted ? "" : thought
      blocks.push({ type: "thinking", thinking, signature: SIGNER.sign(thinking) })
    }
  }
  for (const query of searches) {
    const id = `srvtoolu_01${base62(22)}`
    blocks.push(
      { type: "server_tool_use", id, name: "web_search", input: { query } },
      { type: "web_search_tool_result", tool_use_id: id, content: [] },
    )
  }
  if (choice.text !== null && choice.text !== "") blocks.push({ type: "text", text: choice.text })
  for (const { name, argumentsText } of choice.calls) {
    blocks.push({ type: "tool_use", id: `toolu_01${base62(22)}`, name, argumentsText })
  }
  return blocks
}

/** Returns a choice's `stop_reason` (docs/contribute/wire/anthropic-messages.md#f5). */
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

/** Divides counted tokens into Anthropic's classes (docs/contribute/wire/anthropic-messages.md#f10). */
export function sortUsage(
  counted: CountedUsage,
  cache: MarkedUsage,
  searches: number,
): MessageUsage {
  const kept = cache.read + cache.written["5m"] + cache.written["1h"]
  const { completion: output, reasoning: thinking } = counted
  return { input: counted.prompt - kept, cache, output, thinking, searches }
}

/** Returns the input members of `usage`, which are in every form of the object. */
export function inputUsage({ input, cache }: MessageUsage) {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cache.written["5m"] + cache.written["1h"],
    cache_read_input_tokens: cache.read,
  }
}

/** Returns the output members of `usage`. Thinking is reported only if there was any. */
export function outputUsage({ output, thinking, searches }: MessageUsage) {
  const details = thinking === 0 ? {} : { output_tokens_details: { thinking_tokens: thinking } }
  const used = { web_search_requests: searches, web_fetch_requests: 0 }
  return { output_tokens: output, ...details, ...(searches === 0 ? {} : { server_tool_use: used }) }
}

/** Returns the `usage` of a complete message, as recorded. */
export function wholeUsage(usage: MessageUsage) {
  return {
    ...inputUsage(usage),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cache.written["5m"],
      ephemeral_1h_input_tokens: usage.cache.written["1h"],
    },
    ...outputUsage(usage),
    service_tier: "standard",
    inference_geo: "not_available",
  }
}

function blockObject(block: ResponseBlock) {
  if (block.type !== "tool_use") return block
  const { type, id, name, argumentsText } = block
  return { type, id, name, input: parseObject(argumentsText), caller: { type: "direct" } }
}

/** Returns the content of a response as blocks of a message. */
export function contentOf({ blocks }: MessageResponse) {
  return blocks.map(blockObject)
}

/** Returns the JSON text of a response that is not streamed (docs/contribute/wire/anthropic-messages.md#f19). */
export function resultText(response: MessageResponse): string {
  return JSON.stringify({
    model: response.model,
    id: response.id,
    type: "message",
    role: "assistant",
    ...(response.container === null ? {} : { container: response.container }),
    content: contentOf(response),
    stop_reason: response.stopReason,
    stop_sequence: response.stopSequence,
    stop_details: null,
    ...(response.usage === undefined ? {} : { usage: wholeUsage(response.usage) }),
  })
}
