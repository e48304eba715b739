import { describe, expect, test } from "bun:test"
import { GatewayError } from "../../../src/canon/errors.ts"
import type { Deployment } from "../../../src/catalog/model.ts"
import { CallEnded } from "../../../src/relay/lifetime/call-failure.ts"
import { CandidateQueue } from "../../../src/relay/pipeline/candidate-queue.ts"
import type { RequestContext } from "../../../src/relay/pipeline/request-context.ts"
import type { Candidate } from "../../../src/relay/upstream/attempt.ts"
import type { Health } from "../../../src/routing/health.ts"
import type { Router } from "../../../src/routing/route.ts"

const FAILED = new GatewayError("upstream_error", "It failed.")
const REJECTED = new GatewayError("rejected_by_upstream", "The request is wrong.")

function candidate(id: string, member?: string): Candidate {
  const deployment = { id, ...(member !== undefined && { member: { id: member } }) }
  return { deployment: deployment as Deployment, client: {} as Candidate["client"] }
}

/**
 * Returns a queue.
 * @param coolingDown deployments in cooldown that no request may probe.
 */
function queueOf(candidates: readonly Candidate[], coolingDown: readonly string[] = []) {
  const health = { isHealthy: (id: string) => !coolingDown.includes(id) }
  const router = { loadOf: () => ({ takeProbe: () => false }) }
  return new CandidateQueue({} as RequestContext, candidates, {
    health: health as unknown as Health,
    router: router as unknown as Router,
  })
}

describe("a queue of candidates", () => {
  test("returns all healthy candidates in order", () => {
    const [a, b, c] = [candidate("a"), candidate("b"), candidate("c")]
    const queue = queueOf([a, b, c])
    for (const each of [a, b, c]) {
      expect(queue.next()).toBe(each)
      expect(queue.fail(each, FAILED)).toBe(true)
    }
    expect(queue.next()).toBeUndefined()
    expect(queue.failure).toBe(FAILED)
  })

  test("returns a candidate that is cooling down only if no attempt has failed yet", () => {
    const [a, b] = [candidate("a"), candidate("b")]
    const queue = queueOf([a, b], ["a", "b"])
    expect(queue.next()).toBe(a)
    queue.fail(a, FAILED)
    expect(queue.next()).toBeUndefined()
  })

  test("ends if the only model rejects the request, or if the gateway ends the call", () => {
    const a = candidate("a")
    expect(queueOf([a, candidate("b")]).fail(a, REJECTED)).toBe(false)
    const member = candidate("c", "one")
    expect(queueOf([member]).fail(member, new CallEnded("caller_disconnected"))).toBe(false)
  })

  test("skips other deployments of a model that rejected the request", () => {
    const [a, b, c] = [candidate("a", "one"), candidate("b", "one"), candidate("c", "two")]
    const queue = queueOf([a, b, c])
    queue.next()
    expect(queue.fail(a, REJECTED)).toBe(true)
    expect(queue.next()).toBe(c)
  })

  test("keeps an earlier failure if a later candidate cannot be called", () => {
    const a = candidate("a")
    const queue = queueOf([a, candidate("b")])
    queue.fail(a, FAILED)
    queue.skip(new GatewayError("invalid_value", "It cannot be called."))
    expect(queue.failure).toBe(FAILED)
  })

  test("offers only untried, healthy deployments of the same model for a hedge", () => {
    const [a, b, c, d] = [
      candidate("a", "one"),
      candidate("b", "one"),
      candidate("c", "two"),
      candidate("d", "one"),
    ]
    const queue = queueOf([a, b, c, d], ["b"])
    queue.next()
    expect(queue.hedgeCandidate(a.deployment)).toBe(d)
    queue.exclude(d)
    expect(queue.hedgeCandidate(a.deployment)).toBeUndefined()
    queue.fail(a, FAILED)
    expect(queue.next()).toBe(c)
    expect(queue.next()).toBeUndefined()
  })

  test("offers no deployment for a hedge of a retry, not even the same deployment", () => {
    const [a, b] = [candidate("a"), candidate("b")]
    const queue = queueOf([a, b])
    queue.next()
    queue.next()
    expect(queue.hedgeCandidate(a.deployment)).toBeUndefined()
  })
})
