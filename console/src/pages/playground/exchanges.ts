import { type ResponseContent, NOTHING_YET } from "./response.ts"
import type { CallFacts } from "./gateway-call.ts"
import type { JsonObject, Question, Step, Turn } from "./conversation.ts"

/** A response with the facts of its request. */
export interface ShownResponse extends ResponseContent, CallFacts, Step {
  readonly state: "running" | "done" | "stopped" | "failed"
  readonly model: string
  /** The body that was sent, for "copy as code". Null in a conversation that was reopened. */
  readonly body: JsonObject | null
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly firstByteMs: number | null
  readonly durationMs: number | null
}

/** The responses of one column to a question. There are several if the model called tools. */
export interface ColumnResponses {
  /** The column's id, which stays the same when another column is removed. */
  readonly column: number
  readonly steps: readonly ShownResponse[]
}

/** A question with the responses of each column. */
export interface Exchange {
  readonly id: number
  readonly question: Question
  readonly columns: readonly ColumnResponses[]
}

/** The position of a response among the exchanges. */
export interface ResponsePosition {
  readonly id: number
  readonly column: number
  readonly step: number
}

export function newResponse(
  model: string,
  body: JsonObject | null,
  startedAt: number,
): ShownResponse {
  return {
    ...NOTHING_YET,
    requestId: null,
    provider: null,
    losses: [],
    results: [],
    state: "running",
    model,
    body,
    startedAt,
    firstByteMs: null,
    durationMs: null,
  }
}

/**
 * Returns the turns of a column up to the response at a position. The last turn contains the question for this
 * response.
 */
export function turnsUntil(exchanges: readonly Exchange[], position: ResponsePosition): Turn[] {
  const turns: Turn[] = []
  for (const { id, question, columns } of exchanges) {
    const steps = columns.find(({ column }) => column === position.column)?.steps ?? []
    const isHere = id === position.id
    turns.push({ question, steps: isHere ? steps.slice(0, position.step) : steps })
    if (isHere) break
  }
  return turns
}

/**
 * Returns the exchanges with a new response at a position. Later responses in the same exchange and column are removed.
 */
export function withNewResponse(
  exchanges: readonly Exchange[],
  position: ResponsePosition,
  response: ShownResponse,
): Exchange[] {
  return withSteps(exchanges, position, (steps) => [...steps.slice(0, position.step), response])
}

/** Returns the exchanges with changed facts of one response. */
export function withFacts(
  exchanges: readonly Exchange[],
  position: ResponsePosition,
  facts: Partial<ShownResponse>,
): Exchange[] {
  return withSteps(exchanges, position, (steps) =>
    steps.map((response, step) => (step === position.step ? { ...response, ...facts } : response)),
  )
}

function withSteps(
  exchanges: readonly Exchange[],
  { id, column }: ResponsePosition,
  change: (steps: readonly ShownResponse[]) => readonly ShownResponse[],
): Exchange[] {
  return exchanges.map((exchange) => {
    if (exchange.id !== id) return exchange
    const columns = exchange.columns.map((responses) =>
      responses.column === column ? { ...responses, steps: change(responses.steps) } : responses,
    )
    return { ...exchange, columns }
  })
}

/** Returns the costs of each model's responses in credits, without unknown and zero costs. */
export function knownCosts(exchanges: readonly Exchange[]): ReadonlyMap<string, readonly string[]> {
  const costs = new Map<string, string[]>()
  for (const { model, cost } of exchanges.flatMap(({ columns }) =>
    columns.flatMap(({ steps }) => steps),
  )) {
    if (cost === null) continue
    const known = costs.get(model) ?? []
    costs.set(model, known)
    known.push(cost)
  }
  return costs
}
