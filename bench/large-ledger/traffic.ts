import type { Labels } from "../../src/accounting/labels.ts"
import { NO_USAGE, type Usage } from "../../src/canon/usage.ts"
import type { Deployment, Model } from "../../src/catalog/model.ts"
import { OPENAI_CHAT } from "../../src/dialects/openai-chat/index.ts"
import type { Key } from "../../src/keys/key.ts"
import { MemoryBudget } from "../../src/limits/memory-budget.ts"
import { parsePrice } from "../../src/ledger/parse-price.ts"
import { costOf, type Price } from "../../src/ledger/price.ts"
import { type AttemptRecord, writeReceipt } from "../../src/relay/billing/receipt.ts"
import type { Posting } from "../../src/store/settlements.ts"

interface PricedModel {
  readonly model: Model
  readonly deployment: Deployment
  readonly price: Price
}

const MODELS: readonly PricedModel[] = [
  priced("openai", "gpt-5.4-mini", { input: "0.25", cached_input: "0.025", output: "2" }),
  priced("openai", "gpt-5.4", { input: "1.25", cached_input: "0.125", output: "10" }),
  priced("anthropic", "claude-haiku-4-5", { input: "1", cached_input: "0.1", output: "5" }),
  priced("anthropic", "claude-sonnet-4-5", { input: "3", cached_input: "0.3", output: "15" }),
  priced("gemini", "gemini-3-flash", { input: "0.3", cached_input: "0.03", output: "2.5" }),
  priced("groq", "llama-3.3-70b-versatile", { input: "0.59", output: "0.79" }),
]
const ENDPOINTS = ["/v1/chat/completions", "/v1/messages", "/v1/responses"] as const
const FEATURES = ["search", "chat", "summary", "agent"] as const
const WHOLE = requestOf(false)
const STREAMED = requestOf(true)

/** Share of the requests that have labels. */
const LABELLED = 0.3
const UNCHARGED = 0.01
const SECOND_ATTEMPT = 0.02

/**
 * Generates requests like those of a real installation. A few accounts send most of them, and the receipts are created
 * by the gateway's own code.
 */
export class Traffic {
  readonly #keys: readonly (readonly Key[])[]
  readonly #memory = new MemoryBudget(Infinity)

  /** @param keys the keys of each account. */
  constructor(keys: readonly (readonly Key[])[]) {
    this.#keys = keys
  }

  /** Returns a request that began at the given time in Unix milliseconds. Times must not decrease between calls. */
  next(at: number): Posting {
    const key = this.#key()
    const labels = Math.random() < LABELLED ? newLabels() : undefined
    const { account, budgets } = key.payerAt(at, labels)
    const request = `req_${Bun.randomUUIDv7("hex", at)}`
    const { model, deployment, price } = oneOf(MODELS)
    const isCharged = Math.random() >= UNCHARGED
    const usage = isCharged ? newUsage() : NO_USAGE
    const cost = costOf(usage, price)
    const duration = upTo(20_000)
    const now = performance.now()
    const call = {
      id: request,
      key,
      endpoint: oneOf(ENDPOINTS),
      bodyBytes: 0,
      receivedAt: at,
      startedAt: now - duration,
      rejectOnLowBalance: false,
      isStrict: false,
      labels,
      memory: this.#memory.open(key),
    }
    const receipt = writeReceipt({
      charge: {
        call,
        request: Math.random() < 0.5 ? STREAMED : WHOLE,
        model,
        attempts: attemptsOf(deployment, duration, isCharged),
        losses: [],
        firstByteAt: isCharged ? now - duration + upTo(duration) : undefined,
        routedBy: undefined,
      },
      hold: cost.total * 4n,
      status: isCharged ? "settled" : "released",
      ...(isCharged && { deployment, usage, cost }),
    })
    return {
      request,
      account,
      key: key.id,
      budgets,
      amount: cost.total,
      writtenOff: [],
      at,
      receipt,
    }
  }

  /** Returns a random key. A hundredth of the accounts sends a fifth of the requests. */
  #key(): Key {
    const keys = this.#keys[Math.floor(this.#keys.length * Math.random() ** 3)]
    if (keys === undefined) throw new Error("there are no accounts")
    return oneOf(keys)
  }
}

function priced(
  provider: string,
  name: string,
  rates: Readonly<Record<string, string>>,
): PricedModel {
  const id = `${provider}/${name}`
  const price = parsePrice(rates, "1.2")
  const deployment = { id, provider, upstreamModel: name, weight: 1, price }
  const model = {
    id,
    kind: "chat",
    created: 0,
    ownedBy: provider,
    deployments: [deployment],
  } as const
  return { model, deployment, price }
}

function requestOf(stream: boolean) {
  const messages = [{ role: "user", content: "Hello" }]
  return OPENAI_CHAT.decodeRequest({ model: "any", messages, stream })
}

function attemptsOf({ id }: Deployment, duration: number, isAnswered: boolean): AttemptRecord[] {
  const failed = {
    deployment: id,
    status: 529,
    outcome: "upstream_overloaded",
    duration: upTo(900),
  }
  if (!isAnswered) return [failed]
  const answered = { deployment: id, status: 200, outcome: "ok", duration }
  return Math.random() < SECOND_ATTEMPT ? [failed, answered] : [answered]
}

function newUsage(): Usage {
  const output = upTo(1_500)
  const inputCacheRead = Math.random() < 0.4 ? upTo(8_000) : 0
  const reasoning = Math.random() < 0.2 ? Math.floor(output / 2) : 0
  return { ...NO_USAGE, inputFresh: upTo(4_000), inputCacheRead, output, reasoning }
}

function newLabels(): Labels {
  return {
    user: `user-${upTo(50_000)}`,
    session: `session-${upTo(1_000_000)}`,
    tags: { feature: oneOf(FEATURES) },
  }
}

/** Returns a random number from 1 to the given maximum. */
function upTo(most: number): number {
  return 1 + Math.floor(Math.random() * most)
}

function oneOf<T>(values: readonly T[]): T {
  const value = values[Math.floor(Math.random() * values.length)]
  if (value === undefined) throw new Error("there is nothing to choose from")
  return value
}
