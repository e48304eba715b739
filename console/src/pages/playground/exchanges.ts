import { type AnswerContent, NOTHING_YET } from "./answer.ts"
import type { CallFacts } from "./gateway-call.ts"
import type { JsonObject, Question, Step, Turn } from "./conversation.ts"

/** An answer with the facts of its request. */
export interface ShownAnswer extends AnswerContent, CallFacts, Step {
  readonly state: "running" | "done" | "stopped" | "failed"
  readonly model: string
  /** The body that was sent, for "copy as code". Null in a conversation that was reopened. */
  readonly body: JsonObject | null
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly firstByteMs: number | null
  readonly durationMs: number | null
}

/** The answers of one column to a question. There are several if the model called tools. */
export interface ColumnAnswers {
  /** The column's id, which stays the same when another column is removed. */
  readonly column: number
  readonly steps: readonly ShownAnswer[]
}

/** A question with the answers of each column. */
export interface Exchange {
  readonly id: number
  readonly question: Question
  readonly columns: readonly ColumnAnswers[]
}

/** The position of an answer among the exchanges. */
export interface AnswerPosition {
  readonly id: number
  readonly column: number
  readonly step: number
}

export function newAnswer(model: string, body: JsonObject | null, startedAt: number): ShownAnswer {
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
 * Returns the turns of a column up to the answer at a position. The last turn contains the question for this answer.
 */
export function turnsUntil(exchanges: readonly Exchange[], position: AnswerPosition): Turn[] {
  const turns: Turn[] = []
  for (const { id, question, columns } of exchanges) {
    const steps = columns.find(({ column }) => column === position.column)?.steps ?? []
    const isHere = id === position.id
    turns.push({ question, steps: isHere ? steps.slice(0, position.step) : steps })
    if (isHere) break
  }
  return turns
}

/** Returns the exchanges with a new answer at a position. Later answers in the same exchange and column are removed. */
export function withNewAnswer(
  exchanges: readonly Exchange[],
  position: AnswerPosition,
  answer: ShownAnswer,
): Exchange[] {
  return withSteps(exchanges, position, (steps) => [...steps.slice(0, position.step), answer])
}

/** Returns the exchanges with changed facts of one answer. */
export function withFacts(
  exchanges: readonly Exchange[],
  position: AnswerPosition,
  facts: Partial<ShownAnswer>,
): Exchange[] {
  return withSteps(exchanges, position, (steps) =>
    steps.map((answer, step) => (step === position.step ? { ...answer, ...facts } : answer)),
  )
}

function withSteps(
  exchanges: readonly Exchange[],
  { id, column }: AnswerPosition,
  change: (steps: readonly ShownAnswer[]) => readonly ShownAnswer[],
): Exchange[] {
  return exchanges.map((exchange) => {
    if (exchange.id !== id) return exchange
    const columns = exchange.columns.map((answers) =>
      answers.column === column ? { ...answers, steps: change(answers.steps) } : answers,
    )
    return { ...exchange, columns }
  })
}

/** Returns the costs of each model's answers in credits, without unknown and zero costs. */
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
