import { useCallback, useEffect, useRef, useState } from "react"
import { type CallFailure, failureOf } from "./call-failure.ts"
import { chatBody, type ChatSettings, type JsonObject, type Question } from "./conversation.ts"
import { type Exchange, newAnswer, type ShownAnswer, turnsBefore, withAnswer } from "./exchanges.ts"
import { callGateway, factsOf, readChat, receiptCost } from "./gateway-call.ts"
import { type Payer, withSecret } from "./secrets.ts"

/** How often what streams in is painted, milliseconds: each frame would be too often. */
const PAINT_EVERY = 40

export interface Conversation {
  readonly exchanges: readonly Exchange[]
  readonly isRunning: boolean
  /** Asks each model the same, each with its own past. */
  readonly ask: (question: Question, models: readonly string[], settings: ChatSettings) => void
  /** Asks one column's model again, with the settings of now. */
  readonly retry: (place: Place, model: string, settings: ChatSettings) => void
  readonly stop: () => void
  readonly clear: () => void
}

export interface Place {
  readonly id: number
  readonly column: number
}

/** A conversation with one or two models, kept in memory only. */
export function useConversation(payer: Payer | undefined): Conversation {
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([])
  const [running, setRunning] = useState(0)
  const aborts = useRef(new Set<AbortController>())
  const nextId = useRef(1)
  useEffect(() => {
    const all = aborts.current
    // No one sees what comes after the page is left, and it would be charged.
    return () => stopAll(all)
  }, [])

  const run = useCallback(async (payer: Payer, place: Place, model: string, body: JsonObject) => {
    const abort = new AbortController()
    aborts.current.add(abort)
    setRunning((count) => count + 1)
    const change = (facts: Partial<ShownAnswer>): void =>
      setExchanges((all) =>
        withAnswer(all, place, (answer) => (answer === null ? null : { ...answer, ...facts })),
      )
    setExchanges((all) => withAnswer(all, place, () => newAnswer(model, body, Date.now())))
    try {
      await answerInto(change, { payer, body, signal: abort.signal })
    } finally {
      aborts.current.delete(abort)
      setRunning((count) => count - 1)
    }
  }, [])

  function ask(question: Question, models: readonly string[], settings: ChatSettings): void {
    if (payer === undefined) return
    const id = nextId.current++
    setExchanges([...exchanges, { id, question, answers: models.map(() => null) }])
    models.forEach((model, column) => {
      const body = chatBody(model, settings, turnsBefore(exchanges, id, column), question)
      void run(payer, { id, column }, model, body)
    })
  }

  function retry(place: Place, model: string, settings: ChatSettings): void {
    const exchange = exchanges.find(({ id }) => id === place.id)
    if (payer === undefined || exchange === undefined) return
    const turns = turnsBefore(exchanges, place.id, place.column)
    void run(payer, place, model, chatBody(model, settings, turns, exchange.question))
  }

  function clear(): void {
    stopAll(aborts.current)
    setExchanges([])
  }

  const stop = (): void => stopAll(aborts.current)
  return { exchanges, isRunning: running > 0, ask, retry, stop, clear }
}

function stopAll(aborts: ReadonlySet<AbortController>): void {
  for (const abort of aborts) abort.abort()
}

interface Asking {
  readonly payer: Payer
  readonly body: JsonObject
  readonly signal: AbortSignal
}

type Change = (facts: Partial<ShownAnswer>) => void

/** Streams one answer to where it is shown. Whatever happens ends up in the answer. */
async function answerInto(change: Change, { payer, body, signal }: Asking): Promise<void> {
  const startedAt = Date.now()
  let requestId: string | null = null
  const painter = new Painter(change)
  try {
    const response = await withSecret(payer, (secret) =>
      callGateway({ path: "/v1/chat/completions", body, secret, signal }),
    )
    const facts = factsOf(response)
    requestId = facts.requestId
    // The cost of a stream comes in its last frame, not in its headers.
    const { cost: _, ...known } = facts
    change({ ...known, firstByteMs: Date.now() - startedAt })
    const content = await readChat(response, (content) => painter.paint(content))
    painter.flush()
    const state = content.failure === null ? "done" : "failed"
    change({ ...content, state, durationMs: Date.now() - startedAt })
    if (content.cost !== null || requestId === null) return
    change({ cost: await costAfterwards(payer, requestId) })
  } catch (thrown) {
    painter.flush()
    const durationMs = Date.now() - startedAt
    if (signal.aborted) change({ state: "stopped", durationMs })
    else {
      const failure: CallFailure = failureOf(thrown)
      // What was refused before it was tried has no receipt to look at.
      const failedId = failure.status >= 500 ? failure.requestId : null
      change({ state: "failed", failure, durationMs, requestId: requestId ?? failedId })
    }
    // What was delivered before a stop is paid for; the receipt says how much.
    if (requestId !== null) change({ cost: await costAfterwards(payer, requestId) })
  }
}

async function costAfterwards(payer: Payer, requestId: string): Promise<string | null> {
  return withSecret(payer, (secret) => receiptCost(requestId, secret)).catch(() => null)
}

/** Passes on the newest content, not more often than an eye can follow. */
class Painter {
  readonly #change: Change
  #waiting: Partial<ShownAnswer> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(change: Change) {
    this.#change = change
  }

  paint(content: Partial<ShownAnswer>): void {
    this.#waiting = content
    this.#timer ??= setTimeout(() => this.flush(), PAINT_EVERY)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting !== undefined) this.#change(this.#waiting)
    this.#waiting = undefined
  }
}
