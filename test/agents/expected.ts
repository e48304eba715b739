import type { Exchange } from "./recorder.ts"

interface ExpectedRefusal {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly reason: string
}

/** What agents are refused, and go on from by themselves. */
const REFUSALS: readonly ExpectedRefusal[] = [
  {
    method: "GET",
    path: "/v1/responses",
    status: 426,
    reason: "Codex's own provider tries a web socket first, and then sends its requests by HTTP",
  },
]

/** What may be lost on the way to a vendor without doing harm to the task, and why. */
const LOSSES: Readonly<Record<string, string>> = {
  "cache_control:dropped": "the vendor caches by itself",
  "client_metadata:dropped": "Codex's notes for OpenAI about its session",
  "context_management:dropped": "Claude Code asks to keep all thinking, as other vendors do",
  "internal_chat_message_metadata_passthrough:dropped": "Codex's notes for OpenAI about an item",
  "prompt_cache_key:dropped": "the vendor caches by itself",
  "search_content_types:dropped": "the vendor's search gives no pictures",
  "system.position:approximated": "the vendor takes instructions at the head only",
  "tools.grammar:approximated": "the vendor has functions only: the grammar is told in words",
  "tools:dropped": "a search of the web or of tools, which the vendor does not run",
  "top_k:dropped": "the vendor has none",
  "top_p:dropped": "the vendor takes no top_p beside a temperature",
  "user:dropped": "the vendor keeps no names of users",
  "verbosity:dropped": "the vendor has none",
  "web_search:dropped": "Gemini searches only without functions",
}

/** What of an agent's requests is not as it should be: a task may pass in spite of it. */
export function wrongIn(exchanges: readonly Exchange[]): string | undefined {
  if (!exchanges.some(isAnsweredPost)) return "it did not call the gateway"
  for (const exchange of exchanges) {
    const { method, path, status, answer, losses } = exchange
    if (!isExpected(exchange)) return `${method} ${path} was answered ${status}: ${answer}`
    const lost = losses.find((loss) => !isHarmless(loss))
    if (lost !== undefined) return `${method} ${path} lost ${lost}`
  }
  return undefined
}

/** Whether an agent can do without what `x-tollgate-losses` names. */
export function isHarmless(loss: string): boolean {
  return LOSSES[loss] !== undefined
}

function isAnsweredPost({ method, status }: Exchange): boolean {
  return method === "POST" && status === 200
}

function isExpected({ method, path, status }: Exchange): boolean {
  if (status >= 200 && status < 400) return true
  return REFUSALS.some(
    (refusal) => refusal.method === method && refusal.path === path && refusal.status === status,
  )
}
