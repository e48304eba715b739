import { createHash } from "node:crypto"
import {
  type CallPlan,
  type CallRecord,
  ENDPOINTS,
  type Endpoint,
  type TortureModel,
  type Try,
} from "./calls.ts"
import type { TortureNode } from "./node.ts"
import type { Random } from "./random.ts"
import { hasContent, isWhole, newMarker, requestOf, usageOf } from "./requests.ts"
import { BREAKING, EMBEDDING, SOUND, type World } from "./world.ts"

/** Timeout of a caller in milliseconds. Official clients have longer timeouts. */
const TIMEOUT_MS = 30_000
/** Pause between attempts of an idempotent call, and between calls, in milliseconds. */
const RETRY_PAUSE_MS = 150
const MAX_PAUSE_MS = 120
const MAX_TRIES = 300
/** Maximum length of a text in the report about a request. */
const DETAIL_LENGTH = 200

/** Callers that send requests one after another until they are stopped. */
export class Callers {
  readonly calls: CallRecord[] = []
  readonly #world: World
  readonly #begun: number
  #isOver = false
  #working: Promise<void>[] = []

  /** @param begun start of the run on the clock of `performance.now()`. */
  constructor(world: World, begun: number) {
    this.#world = world
    this.#begun = begun
  }

  start(count: number, random: Random): void {
    this.#working = Array.from({ length: count }, () => this.#work(random.fork()))
  }

  /** Stops the callers. Resolves when all requests have ended. */
  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#working)
  }

  /** Sends each request that has an idempotency key and a complete response once more. */
  async repeat(): Promise<void> {
    const whole = this.calls.filter(
      ({ plan, tries }) => plan.idempotencyKey !== undefined && tries.at(-1)?.outcome === "whole",
    )
    const ask = async (): Promise<void> => {
      for (let call = whole.pop(); call !== undefined; call = whole.pop()) {
        const repeat = await this.#ask(call.plan, this.#world.nodes[0])
        if (repeat) call.repeat = repeat
      }
    }
    await Promise.all(Array.from({ length: this.#working.length }, ask))
  }

  async #work(random: Random): Promise<void> {
    while (!this.#isOver) {
      await Bun.sleep(random.next() * MAX_PAUSE_MS)
      const plan = planCall(random, this.#world)
      const tries: Try[] = []
      this.calls.push({ plan, tries })
      do {
        const node = random.pick(this.#world.nodes)
        const ended = await this.#ask(plan, node)
        if (ended) tries.push(ended)
        if (!ended || isToBeAskedAgain(plan, ended)) await Bun.sleep(RETRY_PAUSE_MS)
        else break
      } while (plan.idempotencyKey !== undefined ? tries.length < MAX_TRIES : tries.length === 0)
    }
  }

  /** Sends one request. Returns undefined if no node was running. */
  async #ask(plan: CallPlan, node: TortureNode | undefined): Promise<Try | undefined> {
    if (node?.url === undefined) return undefined
    const { url } = node
    const begun = this.#now()
    const seen = await send(url, plan)
    return { node: node.index, begun, ended: this.#now(), ...seen }
  }

  #now(): number {
    return Math.round(performance.now() - this.#begun)
  }
}

/** Whether an idempotent call must be repeated, because it has no final response yet. */
function isToBeAskedAgain(plan: CallPlan, { outcome, status, originalId }: Try): boolean {
  if (plan.idempotencyKey === undefined || outcome === "whole") return false
  if (outcome === "rejected" && status === 402) return false
  // A partial response that was charged is not repeated, because the gateway would replay the same part, or state that
  // the request was charged.
  return originalId === null && outcome !== "part"
}

function planCall(random: Random, { keys, accounts }: World): CallPlan {
  const endpoint = pickEndpoint(random)
  const rich = keys.filter(({ account }) => account === accounts[0])
  const isIdempotent = random.chance(0.2)
  const plan = {
    marker: newMarker(),
    key: random.pick(random.chance(0.6) ? rich : keys),
    endpoint,
    // Idempotent calls use a working model, because a call to a broken model would be repeated forever.
    model: isIdempotent ? pickModel(endpoint) : pickModel(endpoint, random),
    isStreamed: endpoint !== "embeddings" && random.chance(0.6),
    words: random.between(1, 60),
    responseWords: random.between(1, 80),
  }
  if (isIdempotent) return { ...plan, idempotencyKey: plan.marker }
  if (random.chance(0.15)) return { ...plan, leavesAfterBytes: random.between(1, 6_000) }
  if (random.chance(0.1)) return { ...plan, leavesAfter: random.between(0, 400) }
  return plan
}

function pickEndpoint(random: Random): Endpoint {
  return random.chance(0.5) ? "chat" : random.pick(ENDPOINTS)
}

/** @param random determines whether and how the vendor fails; if absent, the vendor works. */
function pickModel(endpoint: Endpoint, random?: Random): TortureModel {
  if (endpoint === "embeddings") return EMBEDDING
  return random?.chance(0.15) === true ? random.pick(BREAKING) : SOUND
}

type Seen = Omit<Try, "node" | "begun" | "ended">

const LOST: Seen = {
  status: 0,
  requestId: null,
  outcome: "lost",
  usage: null,
  hasContent: false,
  isReplayed: false,
  digest: null,
  originalId: null,
  detail: "",
}

/** Sends a request, and reads the response until the caller disconnects. */
async function send(url: string, plan: CallPlan): Promise<Seen> {
  const leaving = new AbortController()
  const timer = setTimeout(() => leaving.abort(), plan.leavesAfter ?? TIMEOUT_MS)
  const { path, init } = requestOf(plan)
  let text = ""
  let response: Response | undefined
  try {
    response = await fetch(url + path, { ...init, signal: leaving.signal })
    const decoder = new TextDecoder()
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      bytes += chunk.length
      if (bytes >= (plan.leavesAfterBytes ?? Number.POSITIVE_INFINITY)) leaving.abort()
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    if (!response) return { ...LOST, detail }
    return { ...seenOf(plan, response, text), detail: `${detail}; ${text.slice(-DETAIL_LENGTH)}` }
  } finally {
    clearTimeout(timer)
  }
  return seenOf(plan, response, text)
}

function seenOf(plan: CallPlan, response: Response, text: string): Seen {
  const { status, headers } = response
  const isResponse = status === 200
  const isAll = isResponse && isWhole(plan, text)
  return {
    status,
    requestId: headers.get("x-request-id"),
    outcome: isResponse ? (isAll ? "whole" : "part") : "rejected",
    usage: isResponse ? usageOf(text) : null,
    hasContent: isResponse && hasContent(text),
    isReplayed: headers.get("idempotent-replayed") === "true",
    digest: isAll ? createHash("sha256").update(text).digest("hex") : null,
    originalId: /"original_request_id":"([^"]+)"/.exec(text)?.[1] ?? null,
    detail: isResponse ? text.slice(-DETAIL_LENGTH) : text.slice(0, 2 * DETAIL_LENGTH),
  }
}
