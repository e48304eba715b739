import { expect, test } from "bun:test"
import * as fc from "fast-check"
import type { ModelSettings } from "../../src/config/settings.ts"
import { provider, startGateway } from "../support/gateway.ts"
import { startVendor } from "../relay/scripted-vendor.ts"
import { nothingHeld } from "../relay/support.ts"
import { MODELS } from "../relay/vocabulary-samples.ts"
import {
  ADVISER,
  responseOf,
  balanceOf,
  bodyOf,
  CONTEXT,
  type HonestCase,
  honestCases,
  MAX_OUTPUT_TOKENS,
  PATHS,
} from "./honest-vendor.ts"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"

const CASES = IS_EXHAUSTIVE ? 400 : 100

const MODEL: ModelSettings = {
  kind: "chat",
  price: {
    input: "3",
    cached_input: "0.3",
    cache_write: "3.75",
    cache_write_1h: "6",
    output: "15",
    audio_output: "60",
    search: "10000",
    tiers: [{ above: 2_000, input: "6", output: "22.5", cache_write_1h: "12" }],
    modes: { priority: "2", flex: "0.5", batch: "0.5" },
  },
  context: CONTEXT,
  maxOutput: MAX_OUTPUT_TOKENS,
}

test("the gateway writes nothing off if vendors follow their documented rules", async () => {
  const all = fc.sample(honestCases, { numRuns: CASES, seed: 34 })
  let current: HonestCase | undefined
  using vendor = startVendor(() => {
    if (current === undefined) throw new Error("no request is running")
    return responseOf(current, vendor.bodies.at(-1) ?? {})
  })
  const at = (id: string, dialect: string) => ({ ...provider(vendor.url, id), dialects: [dialect] })
  await using gateway = await startGateway({
    providers: {
      chat: at("openai-compatible", "openai-chat"),
      messages: at("openai-compatible", "anthropic-messages"),
      responses: at("azure", "openai-responses"),
    },
    models: {
      ...Object.fromEntries(
        Object.keys(PATHS).flatMap((id) => MODELS.map((name) => [`${id}/${name}`, MODEL])),
      ),
      [`messages/${ADVISER}`]: { ...MODEL, price: { input: "5", output: "25" } },
    },
  })
  const statuses = new Map<number, number>()
  let clamped = 0
  for (const one of all) {
    current = one
    const caller = await gateway.caller((balanceOf(one, 6_000) / 1e9).toFixed(9))
    const ask = async (): Promise<void> => {
      const response = await caller.post(PATHS[one.endpoint], bodyOf(one))
      const text = await response.text()
      expect([200, 402, 429], text).toContain(response.status)
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      if (response.headers.has("x-tollgate-max-tokens")) clamped++
    }
    await Promise.all(Array.from({ length: one.atOnce }, ask))
    await nothingHeld(caller)
    const lost = gateway.heard.filter(({ name }) => name === "writtenOff")
    expect(lost, JSON.stringify(one)).toEqual([])
    expect(await caller.balance()).toBeGreaterThanOrEqual(0n)
  }
  // Each kind of end must occur often enough for the test to be meaningful.
  expect(statuses.get(200)).toBeGreaterThan(CASES / 3)
  expect(statuses.get(402)).toBeGreaterThan(CASES / 10)
  expect(clamped).toBeGreaterThan(CASES / 20)
})
