import type { Prompt } from "./prompt.ts"
import { nextScriptedCall } from "./scripted-calls.ts"
import { valueOf } from "./schema-value.ts"
import { countTokens, cutTokens, wordsOf } from "./tokens.ts"

/** One tool call of a response. */
export interface PlannedCall {
  readonly name: string
  /** The arguments as JSON text, cut off at the token limit. */
  readonly argumentsText: string
}

/** One choice of a response, before conversion to a wire format. */
export interface PlannedChoice {
  /** Null if the choice calls tools instead of returning text. */
  readonly text: string | null
  readonly calls: readonly PlannedCall[]
  /** The finish reason. A call that a named tool choice forced differs from a call that the model chose. */
  readonly ending: "stop" | "length" | "call" | "forced-call"
  /** The stop sequence that ended the text; null if no stop sequence did. */
  readonly stoppedBy: string | null
  /** Tokens of text and calls, without reasoning. */
  readonly tokens: number
  readonly reasoningTokens: number
}

const MAX_WORDS = 1_000_000

/** Plans the choices of a response. The result depends only on the prompt. */
export function planResponse(prompt: Prompt): PlannedChoice[] {
  const reasoningTokens = Math.min(prompt.reasoningTokens, prompt.limit)
  const limit = prompt.limit - reasoningTokens
  const called = callsOf(prompt)
  const choices: PlannedChoice[] = []
  for (let index = 0; index < prompt.count; index++) {
    choices.push(
      called.length > 0
        ? { ...planCalls(prompt, called, limit), reasoningTokens }
        : { ...planText(prompt, index, limit), reasoningTokens },
    )
  }
  return choices
}

function planText(
  prompt: Prompt,
  index: number,
  limit: number,
): Omit<PlannedChoice, "reasoningTokens"> {
  const whole = answerText(prompt, index)
  const stopped = cutAtStop(whole, prompt.stop)
  const { text, tokens, cut } = cutTokens(stopped.text, limit)
  const stoppedBy = cut ? null : stopped.by
  return { text, calls: [], ending: cut ? "length" : "stop", stoppedBy, tokens }
}

function answerText(prompt: Prompt, index: number): string {
  const { shape, messages } = prompt
  if (shape.kind === "schema") return JSON.stringify(valueOf(shape.schema))
  const suffix = index === 0 ? "" : ` (${index})`
  const text = spokenText(prompt, messages.at(-1)?.role === "tool") + suffix
  return shape.kind === "object" ? JSON.stringify({ echo: text }) : text
}

function spokenText(prompt: Prompt, afterTools: boolean): string {
  if (afterTools) {
    const from = prompt.messages.findLastIndex((message) => message.role !== "tool") + 1
    return `The tools answered: ${prompt.messages
      .slice(from)
      .map((tool) => tool.text)
      .join("; ")}`
  }
  if (!prompt.echo.startsWith("/tokens ")) return prompt.echo
  const asked = /^\/tokens (\d+)\b/.exec(prompt.echo)
  return asked === null ? prompt.echo : wordsOf(Math.min(Number(asked[1]), MAX_WORDS))
}

function cutAtStop(text: string, stop: readonly string[]): { text: string; by: string | null } {
  let end = text.length
  let by: string | null = null
  for (const sequence of stop) {
    const found = sequence === "" ? -1 : text.indexOf(sequence)
    if (found === -1 || found >= end) continue
    end = found
    by = sequence
  }
  return { text: text.slice(0, end), by }
}

/**
 * Returns the calls of a response. If the text contains a task written as calls, tools that the text only names are not
 * called.
 */
function callsOf(prompt: Prompt): PlannedCall[] {
  const { toolChoice, tools } = prompt
  const scripted = toolChoice.kind === "auto" ? nextScriptedCall(prompt) : undefined
  if (scripted !== undefined) return [...scripted]
  return toolsToCall(prompt).map((name) => {
    const schema = tools.find((tool) => tool.name === name)?.schema ?? {}
    // The arguments of a tool without parameters are an empty object and never an empty text.
    return { name, argumentsText: JSON.stringify(valueOf({ ...schema, type: "object" })) }
  })
}

/** Returns the names of the tools to call, in the order in which the text names them. */
function toolsToCall(prompt: Prompt): string[] {
  const { toolChoice, tools } = prompt
  if (tools.length === 0 || toolChoice.kind === "none") return []
  if (toolChoice.kind === "named") return [toolChoice.name]
  if (toolChoice.kind === "auto" && prompt.messages.at(-1)?.role === "tool") return []
  const named = tools
    .map((tool) => ({ name: tool.name, position: positionOf(tool.name, prompt.echo) }))
    .filter((tool) => tool.position !== -1)
    .toSorted((left, right) => left.position - right.position)
    .map((tool) => tool.name)
  if (named.length === 0 && toolChoice.kind === "required") named.push(tools[0]?.name ?? "")
  return prompt.parallelTools ? named : named.slice(0, 1)
}

/** Returns the position at which the text names the tool as a whole word, or -1. Empty names are never found. */
function positionOf(name: string, text: string): number {
  if (name === "") return -1
  let position = text.indexOf(name)
  while (position !== -1) {
    const before = text.charAt(position - 1)
    const after = text.charAt(position + name.length)
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return position
    position = text.indexOf(name, position + 1)
  }
  return -1
}

function planCalls(
  prompt: Prompt,
  called: readonly PlannedCall[],
  limit: number,
): Omit<PlannedChoice, "reasoningTokens"> {
  const calls: PlannedCall[] = []
  const stoppedBy = null
  const ending = prompt.toolChoice.kind === "named" ? "forced-call" : "call"
  let left = limit
  for (const { name, argumentsText } of called) {
    const nameTokens = countTokens(name)
    if (left <= nameTokens) return { text: null, calls, ending: "length", stoppedBy, tokens: limit }
    left -= nameTokens
    const { text, tokens, cut } = cutTokens(argumentsText, left)
    calls.push({ name, argumentsText: text })
    left -= tokens
    if (cut) return { text: null, calls, ending: "length", stoppedBy, tokens: limit }
  }
  const tokens = calls.reduce(
    (sum, call) => sum + countTokens(call.name) + countTokens(call.argumentsText),
    0,
  )
  return { text: null, calls, ending, stoppedBy, tokens }
}
