import { useCallback, useEffect, useRef, useState } from "react"
import { type CallFailure, failureOf } from "./call-failure.ts"
import { chatBody, type ChatSettings, type JsonObject, type Question } from "./conversation.ts"
import {
  type Exchange,
  newResponse,
  type ResponsePosition,
  type ShownResponse,
  turnsUntil,
  withFacts,
  withNewResponse,
} from "./exchanges.ts"
import { callGateway, factsOf, readChat, receiptCost } from "./gateway-call.ts"
import { type Payer, withSecret } from "./secrets.ts"

/** Frames may arrive faster than the page can render, so it is rendered at this interval. */
const RENDER_INTERVAL_MS = 40

/** A column with its model. */
export interface AskedColumn {
  readonly id: number
  readonly model: string
}

export interface Conversation {
  readonly exchanges: readonly Exchange[]
  readonly isRunning: boolean
  /** Sends the question to each model, with the model's own history. */
  readonly ask: (
    question: Question,
    columns: readonly AskedColumn[],
    settings: ChatSettings,
  ) => void
  /** Requests a response again with the current settings. */
  readonly retry: (position: ResponsePosition, model: string, settings: ChatSettings) => void
  /** Sends the results of a response's tool calls, so that its model continues. */
  readonly giveResults: (
    position: ResponsePosition,
    results: readonly string[],
    settings: ChatSettings,
  ) => void
  readonly stop: () => void
}

/** Holds a conversation with one or several models. It continues from stored exchanges. */
export function useConversation(payer: Payer | undefined, said: readonly Exchange[]): Conversation {
  const [exchanges, setExchanges] = useState(said)
  const [running, setRunning] = useState(0)
  const aborts = useRef(new Set<AbortController>())
  useEffect(() => {
    const all = aborts.current
    // Stops all responses when the user leaves the page, because further output would be charged but never seen.
    return () => stopAll(all)
  }, [])

  const run = useCallback(
    async (payer: Payer, position: ResponsePosition, body: JsonObject, model: string) => {
      const abort = new AbortController()
      aborts.current.add(abort)
      setRunning((count) => count + 1)
      const change = (facts: Partial<ShownResponse>): void =>
        setExchanges((all) => withFacts(all, position, facts))
      setExchanges((all) => withNewResponse(all, position, newResponse(model, body, Date.now())))
      try {
        await answerInto(change, { payer, body, signal: abort.signal })
      } finally {
        aborts.current.delete(abort)
        setRunning((count) => count - 1)
      }
    },
    [],
  )

  function ask(question: Question, asked: readonly AskedColumn[], settings: ChatSettings): void {
    if (payer === undefined) return
    const id = (exchanges.at(-1)?.id ?? 0) + 1
    const columns = asked.map((column) => ({ column: column.id, steps: [] }))
    const all = [...exchanges, { id, question, columns }]
    setExchanges(all)
    for (const { id: column, model } of asked) {
      const position = { id, column, step: 0 }
      void run(payer, position, chatBody(model, settings, turnsUntil(all, position)), model)
    }
  }

  function retry(position: ResponsePosition, model: string, settings: ChatSettings): void {
    if (payer === undefined) return
    void run(payer, position, chatBody(model, settings, turnsUntil(exchanges, position)), model)
  }

  function giveResults(
    position: ResponsePosition,
    results: readonly string[],
    settings: ChatSettings,
  ): void {
    const exchange = exchanges.find(({ id }) => id === position.id)
    const column = exchange?.columns.find((responses) => responses.column === position.column)
    const model = column?.steps[position.step]?.model
    if (payer === undefined || model === undefined) return
    const all = withFacts(exchanges, position, { results })
    setExchanges(all)
    const next = { ...position, step: position.step + 1 }
    void run(payer, next, chatBody(model, settings, turnsUntil(all, next)), model)
  }

  const stop = (): void => stopAll(aborts.current)
  return { exchanges, isRunning: running > 0, ask, retry, giveResults, stop }
}

function stopAll(aborts: ReadonlySet<AbortController>): void {
  for (const abort of aborts) abort.abort()
}

interface Asking {
  readonly payer: Payer
  readonly body: JsonObject
  readonly signal: AbortSignal
}

type Change = (facts: Partial<ShownResponse>) => void

/** Streams one response to its position in the conversation. Failures are stored in the response. */
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
    // The cost of a stream is in its last frame, not in its headers.
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
      // A request that was rejected before any attempt has no receipt.
      const failedId = failure.status >= 500 ? failure.requestId : null
      change({ state: "failed", failure, durationMs, requestId: requestId ?? failedId })
    }
    // Output that was delivered before the user stopped the response is charged. The receipt contains the cost.
    if (requestId !== null) change({ cost: await costAfterwards(payer, requestId) })
  }
}

async function costAfterwards(payer: Payer, requestId: string): Promise<string | null> {
  return withSecret(payer, (secret) => receiptCost(requestId, secret)).catch(() => null)
}

/** Forwards the newest content at a limited rate. */
class Painter {
  readonly #change: Change
  #waiting: Partial<ShownResponse> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(change: Change) {
    this.#change = change
  }

  paint(content: Partial<ShownResponse>): void {
    this.#waiting = content
    this.#timer ??= setTimeout(() => this.flush(), RENDER_INTERVAL_MS)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting !== undefined) this.#change(this.#waiting)
    this.#waiting = undefined
  }
}
