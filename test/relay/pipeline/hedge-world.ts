import { spyOn } from "bun:test"
import { Load } from "../../../src/routing/loads.ts"
import type { ModelSettings, Settings } from "../../../src/config/settings.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import {
  type ScriptedVendor,
  startVendor,
  streamed,
  WHOLE_STREAM,
  wholeResponse,
} from "../scripted-vendor.ts"
import { keptReceiptOf, type Receipt, receiptOf } from "../support.ts"

/** A vendor's reaction to a request. The vendor answers when the promise resolves. */
export type Turn = (request: Request) => Response | Promise<Response>

/** A vendor that takes its reactions from a list. When the list is empty, it answers normally. */
export interface TurningVendor extends ScriptedVendor {
  turns: Turn[]
  /** Number of requests whose connection was closed before the response was complete. */
  readonly aborted: number
}

export function startTurns(): TurningVendor {
  let aborted = 0
  const turns: Turn[] = []
  const vendor = startVendor((request) => {
    request.signal.addEventListener("abort", () => aborted++)
    const turn = state.turns.shift()
    return turn ? turn(request) : normally(vendor.bodies.at(-1) ?? {})
  })
  const state = Object.defineProperty(Object.assign(vendor, { turns }), "aborted", {
    get: () => aborted,
  }) as TurningVendor
  return state
}

/** Returns a vendor's response to a chat or to an embeddings request. */
export function normally(body: Record<string, unknown>): Response {
  if (body["input"] !== undefined) {
    const data = [{ object: "embedding", index: 0, embedding: [0.1, 0.2] }]
    const usage = { prompt_tokens: 2, total_tokens: 2 }
    return Response.json({ object: "list", model: "x", data, usage })
  }
  return body["stream"] === true ? streamed([WHOLE_STREAM]) : Response.json(wholeResponse())
}

/** Never answers. */
export const silent: Turn = () => new Promise(() => undefined)

export const failing =
  (status: number): Turn =>
  () =>
    Response.json({ error: { message: "no" } }, { status })

/** Reacts when a promise has resolved. */
export const when =
  (moment: Promise<unknown>, turn: Turn): Turn =>
  async (request) => {
    await moment
    return turn(request)
  }

/** Two vendors. The first receives requests first, and counts as late after a short time. */
export interface HedgeWorld extends AsyncDisposable {
  readonly gateway: TestGateway
  readonly caller: TestCaller
  readonly first: TurningVendor
  readonly second: TurningVendor
}

/** Delay in milliseconds after which the first vendor is late. */
export const LATE = 40

export function pair(name: string, more: Partial<ModelSettings> = {}): ModelSettings {
  return simulated({
    strategy: "order",
    hedge: true,
    deployments: [
      { provider: "first", model: name, weight: 1 },
      { provider: "second", model: name, weight: 1 },
    ],
    ...more,
  })
}

/**
 * @param hedge the setting of models without their own.
 * @param limits the limits of the gateway.
 */
export async function startHedgeWorld(
  models: Readonly<Record<string, ModelSettings>>,
  hedge = false,
  limits?: Settings["limits"],
): Promise<HedgeWorld> {
  const first = startTurns()
  const second = startTurns()
  const gateway = await startGateway({
    providers: {
      first: provider(first.url),
      second: provider(second.url),
      openai: provider(first.url, "openai"),
    },
    models,
    settings: {
      routing: { strategy: "weight", affinity: true, retries: 1, hedge },
      ...(limits && { limits }),
    },
  })
  const caller = await gateway.caller("10")
  return {
    gateway,
    caller,
    first,
    second,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      first[Symbol.dispose]()
      second[Symbol.dispose]()
    },
  }
}

/** Replaces the measured delay, as if there were enough measurements. */
export function lateSoon() {
  return spyOn(Load.prototype, "lateAfter").mockReturnValue(LATE)
}

/** Returns the receipt of a response as the operator sees it. */
export async function keptReceiptIn(world: HedgeWorld, response: Response): Promise<Receipt> {
  const { id } = await receiptOf(world.caller, response)
  const receipt = keptReceiptOf(world.gateway, id)
  if (!receipt) throw new Error("no receipt")
  return receipt
}
