import { beforeEach, describe, expect, test } from "bun:test"
import { GatewayError, type GatewayErrorDetails } from "../../src/canon/errors.ts"
import { Health } from "../../src/routing/health.ts"
import { connectionErrorOf } from "../../src/wire/http/connection-error.ts"

const ID = "mine/large"
let now = 0
let health = new Health(() => now)

beforeEach(() => {
  now = 1_000_000
  health = new Health(() => now)
})

function breakTimes(times: number): void {
  for (let count = 0; count < times; count++) health.broke(ID)
}

/** Returns the milliseconds until the deployment receives requests again. */
function cooldownLeft(): number {
  const from = now
  while (!health.isHealthy(ID) && now - from < 200_000) now += 250
  const cooldownMs = now - from
  now = from
  return cooldownMs
}

describe("deployment health", () => {
  test("opens the circuit after three failures in a row, but not after two", () => {
    breakTimes(2)
    expect(health.isHealthy(ID)).toBe(true)
    health.succeeded(ID)
    breakTimes(2)
    expect(health.isHealthy(ID)).toBe(true)
    breakTimes(1)
    expect(health.isHealthy(ID)).toBe(false)
    expect(health.isHealthy("mine/other")).toBe(true)
    expect(cooldownLeft()).toBe(1_000)
  })

  test("doubles the cooldown after each failed probe, up to a minute", () => {
    breakTimes(3)
    const cooldowns = [cooldownLeft()]
    for (let trial = 0; trial < 8; trial++) {
      now += cooldownLeft()
      health.attempted(ID)
      health.broke(ID)
      cooldowns.push(cooldownLeft())
    }
    expect(cooldowns).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000))
  })

  test("counts a hundred simultaneous failures as one", () => {
    breakTimes(100)
    expect(cooldownLeft()).toBe(1_000)
  })

  test("admits one request after the cooldown, and ignores a probe that ends without a result", () => {
    breakTimes(3)
    now += 1_000
    expect(health.isHealthy(ID)).toBe(true)
    health.attempted(ID)
    expect(health.isHealthy(ID)).toBe(false)
    now += 29_999
    expect(health.isHealthy(ID)).toBe(false)
    now += 1
    expect(health.isHealthy(ID)).toBe(true)
  })

  test.each(["rejected_by_upstream", "overloaded"] as const)(
    "admits another probe after a probe that is inconclusive because it ends with %s",
    (kind) => {
      breakTimes(3)
      now += 1_000
      health.attempted(ID)
      health.failed(ID, new GatewayError(kind, "no sign"))
      expect(health.isHealthy(ID)).toBe(true)
      // This outcome does not count as a success, so the deployment cools down longer after the next failure.
      health.attempted(ID)
      health.broke(ID)
      expect(cooldownLeft()).toBe(2_000)
    },
  )

  test("recovers completely after a success", () => {
    breakTimes(3)
    now += 1_000
    health.attempted(ID)
    health.succeeded(ID)
    expect(health.isHealthy(ID)).toBe(true)
    expect(health.areCircuitsClosed).toBe(true)
    breakTimes(3)
    expect(cooldownLeft()).toBe(1_000)
  })

  test.each([
    [undefined, 5_000],
    [2, 2_000],
    [0, 0],
    [3_600, 120_000],
  ])(
    "converts an overload with a retry time of %p seconds to a cooldown of %p ms",
    (retryAfter, cooldownMs) => {
      health.overloaded(ID, retryAfter)
      expect(cooldownLeft()).toBe(cooldownMs)
    },
  )

  test("keeps a delay that the vendor requested even if a late success follows", () => {
    health.overloaded(ID, 30)
    health.succeeded(ID)
    expect(cooldownLeft()).toBe(30_000)
    health.overloaded(ID, 1)
    expect(cooldownLeft()).toBe(30_000)
  })

  test("has a cooldown of a minute if the account has no money, for any status", () => {
    health.failed(ID, new GatewayError("upstream_error", "", { providerError: "account" }), 429)
    expect(cooldownLeft()).toBe(60_000)
    expect(health.report(ID).lastError).toContain("out of money")
  })

  test("has a cooldown of a minute if the credential is rejected, and then one probe", () => {
    health.rejected(ID)
    expect(cooldownLeft()).toBe(60_000)
    now += 60_000
    health.attempted(ID)
    expect(health.isHealthy(ID)).toBe(false)
    health.succeeded(ID)
    expect(health.isHealthy(ID)).toBe(true)
  })

  test("classifies errors by their effect", () => {
    const fail = (error: GatewayError, status?: number) => health.failed(ID, error, status)
    fail(new GatewayError("rejected_by_upstream", "", { upstream: { status: 400 } }))
    fail(new GatewayError("internal_error", ""))
    expect(health.areCircuitsClosed).toBe(true)
    fail(new GatewayError("upstream_overloaded", "", { retryAfter: 7 }))
    expect(cooldownLeft()).toBe(7_000)
    now += 7_000
    fail(new GatewayError("upstream_error", "", { providerError: "credential" }), 401)
    expect(cooldownLeft()).toBe(60_000)
    now += 60_000
    health.succeeded(ID)
    for (let count = 0; count < 3; count++) fail(new GatewayError("upstream_timeout", ""))
    expect(cooldownLeft()).toBe(1_000)
  })

  test.each(["account", "credential"] as const)(
    "starts a cooldown of the whole account for an error about the %s",
    (error) => {
      const [first, second] = ["mine/large#eu", "mine/small#eu"] as const
      health.failed(first, new GatewayError("upstream_error", "", { providerError: error }), 412)
      expect(health.isHealthy(first)).toBe(false)
      expect(health.isHealthy(second)).toBe(false)
      expect(health.report(second)).toMatchObject({ state: "cooling_down", cooldownMs: 60_000 })
      // Another credential of the provider is another account, and so is another provider.
      expect(health.isHealthy("mine/large#us")).toBe(true)
      expect(health.isHealthy("mine/large")).toBe(true)
      now += 60_000
      health.attempted(second)
      expect(health.isHealthy(first)).toBe(false)
      health.succeeded(second)
      expect(health.isHealthy(first)).toBe(true)
      expect(health.areCircuitsClosed).toBe(true)
    },
  )

  test("probes an account with the next request if the last probe failed for another reason", () => {
    health.failed(ID, new GatewayError("upstream_error", "", { providerError: "account" }), 402)
    now += 60_000
    health.attempted(ID)
    health.failed(ID, new GatewayError("upstream_error", ""), 500)
    expect(health.isHealthy(ID)).toBe(true)
  })

  test.each(["permission", "model"] as const)(
    "starts a cooldown of one deployment for an error about the %s",
    (error) => {
      health.failed(ID, new GatewayError("upstream_error", "", { providerError: error }), 403)
      expect(cooldownLeft()).toBe(60_000)
      expect(health.isHealthy("mine/other")).toBe(true)
    },
  )

  test("ignores the error of a model that does not support streaming", () => {
    health.failed(ID, new GatewayError("upstream_error", "", { providerError: "streaming" }), 400)
    expect(health.areCircuitsClosed).toBe(true)
  })

  test("has entries for a limited number of deployments", () => {
    for (let count = 0; count < 20_000; count++) health.rejected(`mine/${count}`)
    expect(health.isHealthy("mine/0")).toBe(true)
    expect(health.isHealthy("mine/19999")).toBe(false)
  })
})

describe("the health report", () => {
  test("has the state unknown for a deployment that has never been called", () => {
    expect(health.report(ID)).toEqual({
      state: "unknown",
      cooldownMs: 0,
      successes: 0,
      failures: 0,
      lastError: null,
      failedAt: 0,
      isFailing: false,
    })
  })

  test("counts successes and failures, and describes the last failure in the gateway's own words", () => {
    health.succeeded(ID)
    health.failed(ID, new GatewayError("upstream_error", "says: my prompt"), 500)
    expect(health.report(ID)).toMatchObject({
      state: "failing",
      successes: 1,
      failures: 1,
      lastError: "it failed (500)",
    })
    health.failed(ID, new GatewayError("upstream_overloaded", "x", { retryAfter: 7 }), 429)
    expect(health.report(ID)).toMatchObject({
      state: "cooling_down",
      cooldownMs: 7_000,
      failures: 2,
      lastError: "it asked for fewer requests (429)",
    })
    now += 7_000
    health.succeeded(ID)
    expect(health.report(ID)).toMatchObject({ state: "healthy", successes: 2, failures: 2 })
  })

  test("describes each kind of failure", () => {
    const told = (
      kind: "upstream_error" | "upstream_overloaded" | "upstream_timeout",
      status?: number,
      details: GatewayErrorDetails = {},
    ) => {
      health.failed(ID, new GatewayError(kind, "x", details), status)
      return health.report(ID).lastError
    }
    expect(told("upstream_error", 401, { providerError: "credential" })).toBe(
      "it rejects the provider's credential (401)",
    )
    expect(told("upstream_error", 412, { providerError: "account" })).toBe(
      "the account there is suspended, out of money or not allowed (412)",
    )
    expect(told("upstream_error", 403, { providerError: "permission" })).toContain("may not use")
    expect(told("upstream_error", 404, { providerError: "model" })).toContain("not have this model")
    const cause = connectionErrorOf({ code: "ECONNREFUSED" })
    expect(told("upstream_error", 0, { cause })).toContain("connection was refused")
    expect(told("upstream_overloaded", 503)).toBe("it is overloaded (503)")
    expect(told("upstream_timeout", 0)).toBe("it took too long")
    expect(told("upstream_error", 0)).toContain("could not be reached")
    expect(told("upstream_error")).toContain("could not be reached")
    expect(told("upstream_error", 200)).toBe("its response broke off or could not be read (200)")
  })

  test("does not count mistakes of callers", () => {
    health.failed(ID, new GatewayError("rejected_by_upstream", "x"), 400)
    expect(health.report(ID).state).toBe("unknown")
  })
})
