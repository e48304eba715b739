import type { Posting } from "../../src/store/settlements.ts"
import { Random } from "../../torture/random.ts"

/** The size of a history of one busy month. */
export interface HistoryPlan {
  readonly requests: number
  /** Start of the history in Unix milliseconds. */
  readonly from: number
  readonly to: number
}

/** Number of paying accounts in a history. */
export const ACCOUNTS = 100
const KEYS_OF_ACCOUNT = 4
const MODELS = 24
export const PROVIDERS = 6
/** Number of models that a key calls. */
const MODELS_OF_KEY = 3
const USERS = 20_000
/** Number of requests in one session. */
const SESSION_LENGTH = 8
const FEATURES = 20
const TEAMS = 12
const LABELLED = 0.6
const FAILED = 0.02
const WRITTEN_OFF = 0.001
const STREAMED = 0.5
const SEED = 20_261_101
/** Prices in nanocredits per token. */
const INPUT_RATE = 100n
const OUTPUT_RATE = 400n

const ENDPOINTS = [
  ...Array<string>(80).fill("/v1/chat/completions"),
  ...Array<string>(12).fill("/v1/messages"),
  ...Array<string>(5).fill("/v1/responses"),
  ...Array<string>(3).fill("/v1/embeddings"),
]
const FAILURES = [
  "upstream_error",
  "upstream_error",
  "upstream_overloaded",
  "upstream_timeout",
  "rejected_by_upstream",
]

export function accountName(index: number): string {
  return `account_${index}`
}

/** Returns the keys of an account. */
export function keysOf(account: string): string[] {
  return Array.from({ length: KEYS_OF_ACCOUNT }, (_, index) => `key_${account}_${index}`)
}

/** Returns the name of a model in the settings. */
export function modelName(index: number): string {
  return `vendor-${index % PROVIDERS}/model-${index}`
}

export const MODEL_NAMES = Array.from({ length: MODELS }, (_, index) => modelName(index))

/** Yields the requests of a month in chronological order. The same plan always gives the same requests. */
export function* historyOf({ requests, from, to }: HistoryPlan): Generator<Posting> {
  const random = new Random(SEED)
  const sessions = new Map<string, { id: string; left: number }>()
  for (let index = 0; index < requests; index++) {
    const at = Math.floor(from + ((to - from) * (index + random.next())) / requests)
    yield requestAt(at, random, sessions)
  }
}

function requestAt(
  at: number,
  random: Random,
  sessions: Map<string, { id: string; left: number }>,
): Posting {
  // A few accounts send most of the requests.
  const account = accountName(skewed(random, ACCOUNTS))
  const keyIndex = skewed(random, KEYS_OF_ACCOUNT)
  const key = `key_${account}_${keyIndex}`
  const first = keyIndex * 7 + Number(account.slice("account_".length))
  const model = modelName((first + skewed(random, MODELS_OF_KEY) * 5) % MODELS)
  const failure = random.chance(FAILED) ? random.pick(FAILURES) : undefined
  const [input, output] = [random.between(50, 8_000), random.between(1, 1_500)]
  const cost =
    failure === undefined ? BigInt(input) * INPUT_RATE + BigInt(output) * OUTPUT_RATE : 0n
  const isWrittenOff = failure === undefined && random.chance(WRITTEN_OFF)
  const facts = { model, failure, input, output, cost }
  return {
    request: `req_${Bun.randomUUIDv7("hex", at)}`,
    account,
    key,
    budgets: [],
    amount: isWrittenOff ? cost / 2n : cost,
    writtenOff: isWrittenOff ? [{ amount: cost - cost / 2n, reason: "usage_beyond_bound" }] : [],
    at,
    receipt: receiptOf(facts, labelsOf(key, random, sessions), random),
  }
}

/** Returns a random number below a limit. Small numbers are more frequent. */
function skewed(random: Random, below: number): number {
  return Math.floor(random.next() ** 3 * below)
}

function labelsOf(
  key: string,
  random: Random,
  sessions: Map<string, { id: string; left: number }>,
): object {
  if (!random.chance(LABELLED)) return {}
  let session = sessions.get(key)
  if (session === undefined || session.left === 0) {
    session = { id: `session-${random.between(0, 2 ** 40)}`, left: SESSION_LENGTH }
    sessions.set(key, session)
  }
  session.left--
  return {
    user: `customer-${skewed(random, USERS)}`,
    session: session.id,
    tags: { feature: `f${skewed(random, FEATURES)}`, team: `t${skewed(random, TEAMS)}` },
  }
}

interface ReceiptFacts {
  readonly model: string
  readonly failure: string | undefined
  readonly input: number
  readonly output: number
  /** The cost in nanocredits. */
  readonly cost: bigint
}

/** Returns a receipt with the members that `relay/billing/receipt.ts` writes. */
function receiptOf(
  { model, failure, input, output, cost }: ReceiptFacts,
  labels: object,
  random: Random,
): string {
  const firstByte = random.between(80, 2_000)
  const duration = firstByte + output * random.between(2, 20)
  const isAnswered = failure === undefined
  const rates = { input: "0.1", output: "0.4" }
  return JSON.stringify({
    status: isAnswered ? "settled" : "released",
    first_byte_ms: isAnswered ? firstByte : null,
    duration_ms: duration,
    endpoint: random.pick(ENDPOINTS),
    model,
    ...labels,
    stream: random.chance(STREAMED),
    deployment: isAnswered ? model : null,
    usage: isAnswered ? { input, output } : null,
    estimated: false,
    price: { per_million: rates, multiplier: "1" },
    arithmetic: [
      { class: "input", quantity: input, per_million: rates.input },
      { class: "output", quantity: output, per_million: rates.output },
    ],
    cost: String(Number(cost) / 1e9),
    hold: "0.01",
    attempts: [
      { deployment: model, status: isAnswered ? 200 : 500, outcome: failure ?? "ok", duration },
    ],
    losses: [],
  })
}
