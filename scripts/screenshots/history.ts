import { DAY_MS } from "#contract/durations.ts"
import type { Posting } from "../../src/store/settlements.ts"
import { Random } from "../../torture/random.ts"

const SEED = 7

interface SimulatedModel {
  readonly name: string
  /** Price in credits per million tokens. */
  readonly input: number
  readonly output: number
  /** Share of all requests. */
  readonly weight: number
}

const MODELS: readonly SimulatedModel[] = [
  { name: "openai/gpt-5.4-mini", input: 0.75, output: 4.5, weight: 6 },
  { name: "anthropic/claude-sonnet-5", input: 2, output: 10, weight: 4 },
  { name: "google/gemini-3.5-flash", input: 1.5, output: 9, weight: 3 },
  { name: "openai/gpt-5.4", input: 2.5, output: 15, weight: 2 },
  { name: "groq/llama-3.3-70b-versatile", input: 0.59, output: 0.79, weight: 2 },
]

export interface Caller {
  readonly account: string
  readonly key: string
  readonly weight: number
}

/** Yields settled requests of the days before `to`, with little traffic at night and at weekends. */
export function* historyOf(
  callers: readonly Caller[],
  { requests, days, to }: { readonly requests: number; readonly days: number; readonly to: number },
): Generator<Posting> {
  const random = new Random(SEED)
  for (let index = 0; index < requests; index++) {
    const at = Math.floor(to - days * DAY_MS + (days * DAY_MS * (index + random.next())) / requests)
    if (random.next() > activityAt(at)) continue
    yield requestAt(at, weighted(callers, random), weighted(MODELS, random), random)
  }
}

/** Returns the share of the full traffic at a time, from 0 to 1. */
function activityAt(at: number): number {
  const date = new Date(at)
  const isWeekend = date.getUTCDay() % 6 === 0
  const isNight = date.getUTCHours() < 6
  return (isWeekend ? 0.35 : 1) * (isNight ? 0.4 : 1)
}

function weighted<T extends { readonly weight: number }>(all: readonly T[], random: Random): T {
  let left = random.next() * all.reduce((sum, { weight }) => sum + weight, 0)
  const found = all.find(({ weight }) => (left -= weight) < 0) ?? all.at(-1)
  if (found === undefined) throw new Error("nothing to choose from")
  return found
}

function requestAt(at: number, caller: Caller, model: SimulatedModel, random: Random): Posting {
  const isFailed = random.chance(0.01)
  const [input, output] = [random.between(200, 9_000), random.between(50, 1_800)]
  const cost = isFailed ? 0 : input * model.input + output * model.output
  const amount = BigInt(Math.round(cost * 1_000))
  return {
    request: `req_${Bun.randomUUIDv7("hex", at)}`,
    account: caller.account,
    key: caller.key,
    budgets: [],
    amount,
    writtenOff: [],
    at,
    receipt: receiptOf({ model, input, output, amount, isFailed }, random),
  }
}

interface ReceiptFacts {
  readonly model: SimulatedModel
  readonly input: number
  readonly output: number
  /** The amount in nanocredits. */
  readonly amount: bigint
  readonly isFailed: boolean
}

/** Returns a receipt with the fields that the console's lists read. */
function receiptOf(facts: ReceiptFacts, random: Random): string {
  const { model, input, output, amount, isFailed } = facts
  const firstByte = random.between(120, 900)
  const duration = firstByte + output * random.between(2, 9)
  const outcome = isFailed ? "upstream_overloaded" : "ok"
  return JSON.stringify({
    status: isFailed ? "released" : "settled",
    first_byte_ms: isFailed ? null : firstByte,
    duration_ms: duration,
    endpoint: "/v1/chat/completions",
    model: model.name,
    user: `customer-${random.between(1, 40)}`,
    tags: { feature: random.pick(["search", "support", "summary", "agent"]) },
    stream: random.chance(0.6),
    deployment: isFailed ? null : model.name,
    usage: isFailed ? null : { input, output },
    estimated: false,
    price: {
      per_million: { input: String(model.input), output: String(model.output) },
      multiplier: "1",
    },
    arithmetic: [],
    cost: String(Number(amount) / 1e9),
    hold: "0.05",
    attempts: [{ deployment: model.name, status: isFailed ? 503 : 200, outcome, duration }],
    losses: [],
  })
}
