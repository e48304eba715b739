import { describe, expect, test } from "bun:test"
import { type SixUpstreams, type Upstream, UPSTREAMS } from "./six-upstreams.ts"

/** A request that some upstreams cannot receive completely. */
export interface LossyRequest {
  /** Sends the request with the official client. */
  ask(upstream: Upstream, headers: Record<string, string>): Promise<unknown>
  /** The expected losses at each upstream. */
  readonly losses: Readonly<Record<Upstream, readonly string[]>>
  /** The error class of the client for status 400. */
  readonly badRequest: abstract new (...parts: never[]) => Error
}

const STRICTLY = { "x-tollgate-strict": "true" }

/** Losses are reported, and strict callers get an error instead. */
export function describeLosses(
  name: string,
  upstreams: SixUpstreams,
  { ask, losses, badRequest }: LossyRequest,
): void {
  for (const upstream of UPSTREAMS) {
    const lost = losses[upstream]
    describe(`${name} at ${upstream}`, () => {
      test(`gets a report of these losses: ${lost.join(", ") || "none"}`, async () => {
        await ask(upstream, {})
        expect(upstreams.losses.toSorted()).toEqual([...lost].toSorted())
        const told = (await upstreams.receipt()).losses.map(
          ({ name, effect }) => `${name}:${effect}`,
        )
        expect(told.toSorted()).toEqual([...lost].toSorted())
      })

      if (lost.length === 0) {
        test("gets a response in strict mode", async () => {
          await ask(upstream, STRICTLY)
        })
      } else {
        test("gets an error in strict mode", async () => {
          const { requests } = upstreams.gateway.simulator
          const [last, balance] = [requests.at(-1), await upstreams.caller.balance()]
          const error = await ask(upstream, STRICTLY).catch((thrown: unknown) => thrown)
          expect(error).toBeInstanceOf(badRequest)
          for (const loss of lost) expect(String(error)).toContain(loss.replace(/:.*/, ""))
          expect(requests.at(-1)).toBe(last)
          expect(await upstreams.caller.balance()).toBe(balance)
        })
      }
    })
  }
}
