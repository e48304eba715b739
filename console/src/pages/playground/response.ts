import { type CallFailure, failureOfBody } from "./call-failure.ts"

/** A tool call, as the model wrote it. */
export interface ToolCall {
  /** Identifies the call. The tool's result names the same id. */
  readonly id: string
  readonly name: string
  readonly arguments: string
}

/** The tokens of a response. */
export interface Tokens {
  readonly input: number
  readonly output: number
  readonly reasoning: number
  readonly cached: number
}

/** The content received so far. */
export interface ResponseContent {
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: readonly ToolCall[]
  readonly finish: string | null
  readonly tokens: Tokens | null
  /** The cost in credits, exactly as the gateway sent it. */
  readonly cost: string | null
  /** Whether the end marker of the stream has arrived. */
  readonly isComplete: boolean
  readonly failure: CallFailure | null
}

export const NOTHING_YET: ResponseContent = {
  text: "",
  reasoning: "",
  toolCalls: [],
  finish: null,
  tokens: null,
  cost: null,
  isComplete: false,
  failure: null,
}

interface Delta {
  readonly content?: string | null
  readonly reasoning_content?: string | null
  readonly reasoning?: string | null
  readonly refusal?: string | null
  readonly tool_calls?: readonly {
    readonly index?: number
    readonly id?: string
    readonly function?: { readonly name?: string; readonly arguments?: string }
  }[]
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: Delta; readonly finish_reason?: string | null }[]
  readonly usage?: {
    readonly prompt_tokens?: number
    readonly completion_tokens?: number
    readonly prompt_tokens_details?: { readonly cached_tokens?: number }
    readonly completion_tokens_details?: { readonly reasoning_tokens?: number }
  } | null
  readonly error?: unknown
}

/** Applies one event of the stream. Events that are not chunks change nothing. */
export function withEvent(response: ResponseContent, data: string): ResponseContent {
  if (data === "[DONE]") return { ...response, isComplete: true }
  const chunk = parseChunk(data)
  if (chunk === undefined) return response
  if (chunk.error !== undefined) return { ...response, failure: failureOfBody(200, chunk) }
  let next = response
  const [choice] = chunk.choices ?? []
  if (choice?.delta) next = withDelta(next, choice.delta)
  if (choice?.finish_reason) next = { ...next, finish: choice.finish_reason }
  if (chunk.usage)
    next = { ...next, tokens: tokensOf(chunk.usage), cost: costIn(data) ?? next.cost }
  return next
}

function parseChunk(data: string): Chunk | undefined {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function withDelta(response: ResponseContent, delta: Delta): ResponseContent {
  const text = (delta.content ?? "") + (delta.refusal ?? "")
  const reasoning = delta.reasoning_content ?? delta.reasoning ?? ""
  if (text === "" && reasoning === "" && delta.tool_calls === undefined) return response
  return {
    ...response,
    text: response.text + text,
    reasoning: response.reasoning + reasoning,
    toolCalls: withCalls(response.toolCalls, delta.tool_calls ?? []),
  }
}

function withCalls(
  calls: readonly ToolCall[],
  deltas: NonNullable<Delta["tool_calls"]>,
): readonly ToolCall[] {
  if (deltas.length === 0) return calls
  const next = [...calls]
  for (const delta of deltas) {
    const index = delta.index ?? next.length
    const known = next[index] ?? { id: `call_${index.toString()}`, name: "", arguments: "" }
    next[index] = {
      id: delta.id ?? known.id,
      name: known.name + (delta.function?.name ?? ""),
      arguments: known.arguments + (delta.function?.arguments ?? ""),
    }
  }
  return next
}

function tokensOf(usage: NonNullable<Chunk["usage"]>): Tokens {
  return {
    input: usage.prompt_tokens ?? 0,
    output: usage.completion_tokens ?? 0,
    reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
  }
}

/**
 * Returns the cost exactly as it is written in the JSON text. Parsing it as a number could lose digits or add an
 * exponent.
 */
function costIn(data: string): string | null {
  const [, digits] = /"cost":\s*"?(\d+(?:\.\d+)?)"?\s*[,}]/.exec(data) ?? []
  return digits ?? null
}
