import { randomUUID } from "node:crypto"
import type { GrantRecord } from "./calls.ts"
import type { Random } from "./random.ts"
import type { World } from "./world.ts"

const MAX_PAUSE_MS = 1_500
const RETRY_PAUSE_MS = 200
const TIMEOUT_MS = 15_000
const CREDIT = 1_000_000_000n
/** Grace period of a replaced secret in seconds. It is so long that no caller uses an expired secret. */
const GRACE_SECONDS = 3_600

/**
 * Number of concurrent operators. There are several, because an operator that waits for a node cannot send another
 * change.
 */
const OPERATORS = 4

/** Operators that grant, deduct and refund credits, and change keys during the run. */
export class Operators {
  readonly grants: GrantRecord[] = []
  keyChanges = 0
  readonly #world: World
  #isOver = false
  #working: Promise<void>[] = []

  constructor(world: World) {
    this.#world = world
  }

  start(random: Random): void {
    this.#working = Array.from({ length: OPERATORS }, () => this.#work(random.fork()))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#working)
  }

  async #work(random: Random): Promise<void> {
    while (!this.#isOver) {
      await Bun.sleep(random.next() * MAX_PAUSE_MS)
      if (random.chance(0.7)) this.grants.push(await this.#grant(random))
      else await this.#changeKey(random)
    }
  }

  async #grant(random: Random): Promise<GrantRecord> {
    const account = random.pick(this.#world.accounts)
    const kind = random.pick(["grant", "grant", "refund", "adjustment"] as const)
    // The amount is between a thousandth and two hundredths of a credit, which is the cost of a few calls.
    const size = BigInt(random.between(1, 20)) * 1_000_000n
    const amount = kind === "adjustment" ? -size : size
    const note = `torture-${randomUUID()}`
    const body = { kind, amount: decimal(amount), note }
    const path = `/accounts/${account}/entries`
    const status = await this.#ask(random, { method: "POST", path, body })
    const outcome = status === 0 ? "open" : status < 300 ? "done" : "rejected"
    return { account, kind, amount, note, outcome }
  }

  async #changeKey(random: Random): Promise<void> {
    const key = random.pick(this.#world.keys)
    if (random.chance(0.5)) {
      const body = { name: `name-${random.between(1, 1_000)}`, requests_per_minute: 60_000 }
      await this.#ask(random, { method: "PATCH", path: `/keys/${key.id}`, body })
    } else {
      const body = { grace_seconds: GRACE_SECONDS }
      const rotated = (text: string): void => {
        const secret = /"secret":"([^"]+)"/.exec(text)?.[1]
        if (secret !== undefined) key.secret = secret
      }
      const path = `/keys/${key.id}/rotate`
      await this.#ask(random, { method: "POST", path, body }, rotated)
    }
    this.keyChanges++
  }

  /**
   * Sends a change with one idempotency key until there is a response.
   * @returns the status; 0 if the run ended before there was a response.
   */
  async #ask(
    random: Random,
    request: { readonly method: "POST" | "PATCH"; readonly path: string; readonly body: object },
    take?: (text: string) => void,
  ): Promise<number> {
    const { method, path } = request
    const headers = {
      authorization: `Bearer ${this.#world.adminToken}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    }
    for (let tries = 0; !this.#isOver || tries < 100; tries++) {
      const { url } = random.pick(this.#world.nodes)
      try {
        if (url === undefined) throw new Error("it does not run")
        const response = await fetch(`${url}/admin/v1${path}`, {
          method,
          headers,
          body: JSON.stringify(request.body),
          keepalive: false,
          signal: AbortSignal.timeout(TIMEOUT_MS),
        })
        const text = await response.text()
        if (response.ok) take?.(text)
        // The change was made, but its response is lost.
        if (response.status === 409 && text.includes("original_request_id")) return 200
        if (response.status < 500 && response.status !== 429) return response.status
      } catch {
        // The node has ended or is frozen. The next attempt uses another node.
      }
      await Bun.sleep(RETRY_PAUSE_MS)
    }
    return 0
  }
}

/** Formats nanocredits as credits for the management API. */
function decimal(amount: bigint): string {
  const size = amount < 0n ? -amount : amount
  const fraction = String(size % CREDIT).padStart(9, "0")
  return `${amount < 0n ? "-" : ""}${size / CREDIT}.${fraction}`
}
