import type { Exchange } from "./recorder.ts"

interface ExpectedRejection {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly reason: string
}

/** Rejections after which agents continue without help. */
const REJECTIONS: readonly ExpectedRejection[] = [
  {
    method: "GET",
    path: "/v1/responses",
    status: 426,
    reason: "Codex's own provider tries a web socket first, and then sends its requests by HTTP",
  },
]

interface ExpectedFailure {
  /** The name of the agent's row in the results table. */
  readonly agent: string
  readonly model: RegExp
  readonly reason: string
}

/** Turns that fail because of a fault in the agent. */
const FAILURES: readonly ExpectedFailure[] = [
  {
    agent: "Gemini CLI",
    model: /^google\//,
    reason: "it repeats the results of tools when it resumes a session for the second time",
  },
  {
    agent: "pi, messages",
    model: /^anthropic\//,
    reason: "it always asks for a budget of thoughts, which the model rejects",
  },
  {
    agent: "Qwen Code, messages",
    model: /^anthropic\//,
    reason: "it trims the thoughts that it stores, and they are rejected as changed",
  },
]

/** Returns the reason why a turn of an agent may fail; undefined if it must succeed. */
export function expectedFailure(agent: string, model: string): string | undefined {
  return FAILURES.find((one) => one.agent === agent && one.model.test(model))?.reason
}

/** Losses that do not harm the task, with the reasons. */
const LOSSES: Readonly<Record<string, string>> = {
  "cache_control:dropped": "the vendor caches by itself",
  "client_metadata:dropped": "Codex's notes for OpenAI about its session",
  "context_management:dropped": "Claude Code asks to keep all thinking, as other vendors do",
  "defer_loading:dropped": "the vendor gets all tools at once",
  "internal_chat_message_metadata_passthrough:dropped": "Codex's notes for OpenAI about an item",
  "__copilotMessageSource:dropped": "Copilot's note about who wrote a message",
  "phase:dropped": "OpenAI's label of a message that comes before its calls",
  "prompt_cache_key:dropped": "the vendor caches by itself",
  "reasoning.signature:dropped":
    "the proof of another model's thoughts, after a switch of the model",
  "reasoning.summary:dropped": "the vendor always shows what its model thinks",
  "reasoning:dropped":
    "the model does not think, or would not accept thoughts without its own proof",
  "reasoning_budget:approximated": "the vendor takes an effort, not a number of tokens",
  "search_content_types:dropped": "the vendor's search gives no images",
  "system.position:approximated": "the vendor takes instructions at the head only",
  "tool_reference:approximated":
    "the vendor has all tools already: the names that a search found are told in words",
  "tools.grammar:approximated": "the vendor has functions only: the grammar is told in words",
  "tools:dropped": "a search of the web or of tools, which the vendor does not run",
  "top_k:dropped": "the vendor has none",
  "top_p:dropped": "the vendor does not accept top_p together with a temperature",
  "user:approximated": "a name that is longer than the vendor accepts is sent as its hash",
  "user:dropped": "the vendor keeps no names of users",
  "verbosity:dropped": "the vendor has none",
  "web_search:dropped": "Gemini searches only without functions",
}

/**
 * Returns the first fault in an agent's requests; undefined if there is none. The task can succeed in spite of a fault.
 */
export function wrongIn(exchanges: readonly Exchange[]): string | undefined {
  for (const exchange of exchanges) {
    const { method, path, status, response, losses } = exchange
    if (!isExpected(exchange)) return `${method} ${path} was answered ${status}: ${response}`
    const lost = losses.find((loss) => !isHarmless(loss))
    if (lost !== undefined) return `${method} ${path} lost ${lost}`
  }
  return exchanges.some(isAnsweredPost) ? undefined : "it did not call the gateway"
}

/** Whether an agent does not need the parts that `x-tollgate-losses` names. */
export function isHarmless(loss: string): boolean {
  return LOSSES[loss] !== undefined
}

function isAnsweredPost({ method, status }: Exchange): boolean {
  return method === "POST" && status === 200
}

function isExpected({ method, path, status }: Exchange): boolean {
  if (status >= 200 && status < 400) return true
  return REJECTIONS.some(
    (rejection) =>
      rejection.method === method && rejection.path === path && rejection.status === status,
  )
}
