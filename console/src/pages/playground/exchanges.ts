import { type AnswerContent, NOTHING_YET } from "./answer.ts"
import type { CallFacts } from "./gateway-call.ts"
import type { JsonObject, Question, Turn } from "./conversation.ts"

/** An answer with how it came about. */
export interface ShownAnswer extends AnswerContent, CallFacts {
  readonly state: "running" | "done" | "stopped" | "failed"
  readonly model: string
  /** What was sent, for "copy as code". */
  readonly body: JsonObject
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly firstByteMs: number | null
  readonly durationMs: number | null
}

/** A question and what each column's model made of it. */
export interface Exchange {
  readonly id: number
  readonly question: Question
  readonly answers: readonly (ShownAnswer | null)[]
}

export function newAnswer(model: string, body: JsonObject, startedAt: number): ShownAnswer {
  return {
    ...NOTHING_YET,
    requestId: null,
    provider: null,
    losses: [],
    state: "running",
    model,
    body,
    startedAt,
    firstByteMs: null,
    durationMs: null,
  }
}

/** The history that a column's model gets: the turns that it answered before this exchange. */
export function turnsBefore(exchanges: readonly Exchange[], id: number, column: number): Turn[] {
  const turns: Turn[] = []
  for (const exchange of exchanges) {
    if (exchange.id === id) break
    const text = exchange.answers[column]?.text ?? ""
    if (text !== "") turns.push({ question: exchange.question, answer: text })
  }
  return turns
}

/** The same exchanges with one answer made again from what it was. */
export function withAnswer(
  exchanges: readonly Exchange[],
  place: { readonly id: number; readonly column: number },
  change: (answer: ShownAnswer | null) => ShownAnswer | null,
): Exchange[] {
  return exchanges.map((exchange) => {
    if (exchange.id !== place.id) return exchange
    const answers = [...exchange.answers]
    while (answers.length <= place.column) answers.push(null)
    answers[place.column] = change(answers[place.column] ?? null)
    return { ...exchange, answers }
  })
}

/** What all answers cost that are known to have cost something, as credits. */
export function knownCosts(exchanges: readonly Exchange[]): string[] {
  return exchanges
    .flatMap(({ answers }) => answers)
    .flatMap((answer) => (answer === null || answer.cost === null ? [] : [answer.cost]))
}
