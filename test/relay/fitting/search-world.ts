/** A gateway for tests of web searches, with vendors that search. */
import { afterAll, beforeAll } from "bun:test"
import type { ProviderSettings } from "../../../src/config/settings.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"

type Json = Record<string, unknown>

export let gateway: TestGateway
export let vendor: ScriptedVendor
export let caller: TestCaller

/**
 * Starts the gateway before the tests of a file and stops it after them. `plain` has no price for searches.
 *
 * @param response returns the response of a vendor at a path, or the frames if the response is streamed.
 */
export function searchWorld(
  response: (path: string, isStreamed: boolean) => Json | string[],
): void {
  beforeAll(async () => {
    vendor = startVendor((request, number) => {
      const path = new URL(request.url).pathname
      const isStreamed = path.includes("stream") || vendor.bodies[number - 1]?.["stream"] === true
      const answered = response(path, isStreamed)
      return Array.isArray(answered) ? streamed(answered) : Response.json(answered)
    })
    const bare = vendor.url.replace(/\/v1$/, "")
    const priced = (id: string, url: string): ProviderSettings => ({
      ...provider(url, id),
      prices: { search: "10000" },
    })
    const at = (id: string, model: string) =>
      simulated({ deployments: [{ provider: id, model, weight: 1 }] })
    gateway = await startGateway({
      providers: {
        openai: { ...priced("openai", vendor.url), dialects: ["openai-responses"] },
        anthropic: priced("anthropic", bare),
        google: priced("google", bare),
        plain: provider(bare, "anthropic"),
        azure: { ...priced("azure", vendor.url), dialects: ["openai-responses"] },
      },
      models: {
        "gpt/m": at("openai", "gpt-5.5"),
        "claude/m": at("anthropic", "claude-sonnet-4-5"),
        "gemini/m": at("google", "gemini-3-flash-preview"),
        "plain/m": at("plain", "claude-sonnet-4-5"),
        "azure/m": at("azure", "gpt-5.5"),
      },
    })
    caller = await gateway.caller("100")
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    vendor[Symbol.dispose]()
  })
}
