import type { ToolCall } from "./response.ts"
import type { ChatSettings, Column, Question } from "./conversation.ts"
import { type Exchange, newResponse, type ShownResponse } from "./exchanges.ts"
import type { HandedOver } from "./hand-over.ts"
import { settingsIn } from "./request-settings.ts"
import { type Said, saidIn } from "./said.ts"

/** A request converted to a conversation, with its last question as a draft. */
export interface ReadRequest {
  readonly columns: readonly Column[]
  readonly settings: ChatSettings
  readonly exchanges: readonly Exchange[]
  readonly draft: Question | undefined
}

/** Id of the single column, which has the request's model. */
const COLUMN = 0

/**
 * Parses a chat request in the formats of OpenAI (chat completions and responses), Anthropic and Google. Unknown fields
 * are omitted, so the result is not an exact copy of the request.
 */
export function readRequest({ model, body }: HandedOver): ReadRequest {
  const columns = [{ id: COLUMN, model }]
  const all = saidIn(body)
  const last = all.at(-1)
  const isDraft = last?.by === "user"
  return {
    columns,
    settings: settingsIn(body),
    exchanges: exchangesOf(isDraft ? all.slice(0, -1) : all, model),
    draft: isDraft ? { text: last.text, images: last.images } : undefined,
  }
}

function exchangesOf(all: readonly Said[], model: string): Exchange[] {
  const exchanges: { question: Question; steps: ShownResponse[] }[] = []
  for (const said of all) {
    const last = exchanges.at(-1)
    const step = last?.steps.at(-1)
    if (said.by === "user") {
      exchanges.push({ question: { text: said.text, images: said.images }, steps: [] })
    } else if (said.by === "model") {
      // A conversation that starts with the model's message has no question.
      const steps = last?.steps ?? []
      if (last === undefined) exchanges.push({ question: { text: "", images: [] }, steps })
      const response = newResponse(model, null, 0)
      steps.push({ ...response, state: "done", text: said.text, toolCalls: said.calls })
    } else if (last !== undefined && step !== undefined) {
      last.steps[last.steps.length - 1] = withResult(step, said)
    }
  }
  return exchanges.map(({ question, steps }, index) => {
    return { id: index + 1, question, columns: [{ column: COLUMN, steps }] }
  })
}

function withResult(response: ShownResponse, said: { id: string; text: string }): ShownResponse {
  const place = response.toolCalls.findIndex(({ id }) => id === said.id)
  if (place === -1) return response
  const results = response.toolCalls.map((_: ToolCall, index) =>
    index === place ? said.text : (response.results[index] ?? ""),
  )
  return { ...response, results }
}
