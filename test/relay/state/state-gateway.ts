import { afterAll, beforeAll, beforeEach } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { startStateVendor, type StateVendor } from "./state-vendor.ts"

/** A gateway with two accounts at a vendor that stores objects, and with two callers. */
export interface StateGateway {
  readonly gateway: TestGateway
  readonly first: StateVendor
  readonly second: StateVendor
  readonly ann: TestCaller
  readonly bob: TestCaller
}

function at(model: string, ...providers: string[]) {
  const deployments = providers.map((name) => ({ provider: name, model, weight: 1 }))
  return simulated({ context: 1_000_000, deployments })
}

/** Starts a gateway for the tests of the calling file, and stops it after them. */
export function stateGateway(): StateGateway {
  const parts: Partial<{ -readonly [Part in keyof StateGateway]: StateGateway[Part] }> = {}
  beforeAll(async () => {
    const first = (parts.first = startStateVendor("a"))
    const second = (parts.second = startStateVendor("b"))
    const gateway = (parts.gateway = await startGateway({
      providers: {
        first: provider(first.url, "openai"),
        second: provider(second.url, "openai"),
        claude: provider(first.url.replace(/\/v1$/, ""), "anthropic"),
      },
      models: {
        "first/gpt": at("gpt", "first"),
        "first/slow": at("slow", "first"),
        "second/gpt": at("gpt", "second"),
        "both/gpt": at("gpt", "first", "second"),
        "claude/opus": at("opus", "claude"),
      },
      settings: {
        unpricedFeatures: "allow",
        // Objects that the gateway itself stores are covered by other tests.
        responses: { keep: 0, accountBytes: 0, totalBytes: 0 },
      },
    }))
    parts.ann = await gateway.caller()
    parts.bob = await gateway.caller()
  })
  beforeEach(() => {
    for (const vendor of [parts.first, parts.second]) {
      if (!vendor) continue
      vendor.inputTokens = 10
      vendor.rejection = undefined
      vendor.bodies.length = 0
    }
  })
  afterAll(async () => {
    await parts.gateway?.[Symbol.asyncDispose]()
    parts.first?.[Symbol.dispose]()
    parts.second?.[Symbol.dispose]()
  })
  return parts as StateGateway
}
