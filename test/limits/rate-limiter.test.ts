import { beforeEach, describe, expect, test } from "bun:test"
import { GatewayError } from "../../src/canon/errors.ts"
import type { Buckets } from "../../src/limits/bucket.ts"
import { PrivateBuckets } from "../../src/limits/private-buckets.ts"
import { type RateRequest, RateLimiter } from "../../src/limits/rate-limiter.ts"
import { SharedBuckets } from "../../src/limits/shared-buckets.ts"
import { SharedMemory } from "../../src/machine/shared-memory.ts"

let now = 0
let limiter = new RateLimiter(() => now)

beforeEach(() => {
  now = 5_000_000
  limiter = new RateLimiter(() => now)
})

const KINDS: Readonly<Record<string, () => Buckets>> = {
  "of one process": () => new PrivateBuckets(),
  "in shared memory": () => new SharedBuckets(SharedMemory.own()),
}

function rejection(request: RateRequest, key = "key"): GatewayError {
  try {
    limiter.check(key, request)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error("the request was let through")
}

function passes(request: RateRequest, key = "key"): number {
  let count = 0
  try {
    while (count < 100_000) {
      limiter.check(key, request)
      count++
    }
  } catch {
    // The limiter is full.
  }
  return count
}

describe.each(Object.keys(KINDS))("the limit of requests per minute, buckets %s", (kind) => {
  beforeEach(() => {
    limiter = new RateLimiter(() => now, KINDS[kind]?.())
  })

  const request = { requestsPerMinute: 6, tokens: 1 }

  test("admits requests immediately up to the limit, and then one request per fraction of a minute", () => {
    expect(passes(request)).toBe(6)
    const error = rejection(request)
    expect(error.kind).toBe("request_rate_exceeded")
    expect(error.status).toBe(429)
    expect(error.retry).toBe(true)
    expect(error.details.retryAfter).toBe(10)
    expect(error.message).toBe(
      "Rate limit reached for requests of this key: 6 per minute. Try again in 10s.",
    )
    now += 9_999
    rejection(request)
    now += 1
    expect(passes(request)).toBe(1)
  })

  test("appears in headers with the remaining amount and the time until the full limit is available again", () => {
    expect(limiter.check("key", request)).toEqual({
      "x-ratelimit-limit-requests": "6",
      "x-ratelimit-remaining-requests": "5",
      "x-ratelimit-reset-requests": "10s",
    })
    passes(request)
    expect(rejection(request).details.headers).toEqual({
      "x-ratelimit-limit-requests": "6",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "1m0s",
    })
  })

  test("counts per key, and a key without limits has no headers", () => {
    passes(request)
    expect(passes(request, "other")).toBe(6)
    expect(limiter.check("free", { tokens: 1e9 })).toEqual({})
  })

  test("takes effect at the next request after a change", () => {
    passes(request)
    expect(passes({ requestsPerMinute: 10, tokens: 1 })).toBe(4)
    rejection(request)
  })
})

describe.each(Object.keys(KINDS))("the limit of tokens per minute, buckets %s", (kind) => {
  beforeEach(() => {
    limiter = new RateLimiter(() => now, KINDS[kind]?.())
  })

  const request = { tokensPerMinute: 600, tokens: 100 }

  test("admits tokens until they are used up, and then delays requests until enough tokens are available", () => {
    expect(passes(request)).toBe(6)
    const error = rejection({ ...request, tokens: 50 })
    expect(error.kind).toBe("token_rate_exceeded")
    expect(error.details.retryAfter).toBe(5)
    expect(error.message).toBe(
      "Rate limit reached for tokens of this key: 600 per minute, and this request may use 50. Try again in 5s.",
    )
    now += 5_000
    limiter.check("key", { ...request, tokens: 50 })
  })

  test("counts neither tokens nor requests of a rejected request", () => {
    const both = { requestsPerMinute: 3, tokensPerMinute: 100, tokens: 60 }
    limiter.check("key", both)
    for (let count = 0; count < 10; count++) {
      expect(rejection(both).kind).toBe("token_rate_exceeded")
    }
    limiter.check("key", { ...both, tokens: 20 })
    limiter.check("key", { ...both, tokens: 20 })
    expect(rejection({ ...both, tokens: 0 }).kind).toBe("request_rate_exceeded")
  })

  test("corrects tokens when the real usage is known", () => {
    limiter.check("key", request)
    limiter.adjust("key", 400)
    expect(limiter.check("key", request)["x-ratelimit-remaining-tokens"]).toBe("0")
    limiter.adjust("key", -100)
    expect(limiter.check("key", request)["x-ratelimit-remaining-tokens"]).toBe("0")
    // Usage above the estimate is added, so that later requests have to wait longer.
    limiter.adjust("key", 600)
    expect(rejection({ ...request, tokens: 1 }).details.retryAfter).toBe(61)
  })

  test("never exceeds its maximum because of corrections", () => {
    limiter.check("key", request)
    limiter.adjust("key", -1e9)
    expect(passes(request)).toBe(6)
    limiter.adjust("nobody", -1e9)
    expect(passes(request, "nobody")).toBe(6)
  })

  test("admits tokens above the limit when nothing is in use, and delays later requests", () => {
    const large = { tokensPerMinute: 600, tokens: 1_200 }
    limiter.check("key", { ...large, tokens: 60 })
    const error = rejection(large)
    expect(error.details.retryAfter).toBe(6)
    expect(error.message).toContain("runs once no other tokens are in use")
    now += 6_000
    limiter.check("key", large)
    expect(rejection({ ...large, tokens: 1 }).details.retryAfter).toBe(61)
    limiter.adjust("key", -1_190)
    expect(passes({ ...large, tokens: 59 })).toBe(10)
  })

  test("delays a key for at most ten minutes if a token correction is lost", () => {
    limiter.check("key", { ...request, tokens: 1e12 })
    expect(rejection(request).details.retryAfter).toBe(550)
  })
})

describe("rate limits of several processes", () => {
  const request = { requestsPerMinute: 10, tokens: 1 }

  test("have equal shares, but headers contain the whole limit", () => {
    limiter.setMachines(2)
    expect(limiter.check("key", request)).toEqual({
      "x-ratelimit-limit-requests": "10",
      "x-ratelimit-remaining-requests": "8",
      "x-ratelimit-reset-requests": "12s",
    })
    expect(passes(request)).toBe(4)
    expect(rejection(request).details.retryAfter).toBe(12)
  })

  test("subtract used requests from the smaller share when a process is added", () => {
    limiter.check("key", request)
    limiter.check("key", request)
    limiter.check("key", request)
    limiter.setMachines(2)
    expect(passes(request)).toBe(2)
    expect(passes(request, "fresh")).toBe(5)
  })

  test("regain the share of a removed process gradually, because that process may have used it", () => {
    limiter.setMachines(2)
    limiter.check("key", request)
    limiter.setMachines(1)
    expect(passes(request)).toBe(4)
    expect(passes(request, "fresh")).toBe(5)
    now += 6_000
    expect(passes(request)).toBe(1)
    now += 60_000
    expect(passes(request)).toBe(10)
    expect(passes(request, "another")).toBe(10)
  })

  test("admit at least one request per process, even if there are more processes than the limit allows", () => {
    limiter.setMachines(8)
    expect(passes({ requestsPerMinute: 1, tokens: 1 })).toBe(1)
    now += 479_000
    expect(passes({ requestsPerMinute: 1, tokens: 1 })).toBe(0)
    now += 1_000
    expect(passes({ requestsPerMinute: 1, tokens: 1 })).toBe(1)
  })
})

describe("the rate limiter", () => {
  test("evicts unused keys first when its table is full", () => {
    limiter = new RateLimiter(() => now, new PrivateBuckets(100))
    const request = { requestsPerMinute: 2, tokens: 1 }
    for (let count = 0; count < 50; count++) limiter.check(`idle${count}`, request)
    now += 120_000
    for (let count = 0; count < 49; count++) passes(request, `busy${count}`)
    passes(request, "last")
    limiter.check("one more", request)
    for (let count = 0; count < 49; count++) rejection(request, `busy${count}`)
    rejection(request, "last")
  })
})
