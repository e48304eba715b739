import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ProviderSettings } from "../../../src/config/settings.ts"
import { provider, simulated, startGateway, type TestGateway } from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, streamed } from "../scripted-vendor.ts"
import { onlyReceipt, readUntil } from "../support.ts"
import { DIALECTS, type Event, KINDS, MARK, SEEN } from "./delivered-kinds.ts"

const CREDITS = 1_000_000_000n

let vendor: ScriptedVendor
let gateway: TestGateway
let sent: readonly Event[] = []

function bytesOf(events: readonly Event[]): string {
  return events
    .map(([name, data]) => `${name && `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
    .join("")
}

beforeAll(async () => {
  vendor = startVendor(() => streamed([bytesOf(sent), 60_000]))
  const speaking = (dialect: string): ProviderSettings => ({
    ...provider(vendor.url),
    dialects: [dialect],
  })
  gateway = await startGateway({
    providers: {
      chat: speaking("openai-chat"),
      responses: provider(vendor.url, "openai"),
      messages: provider(vendor.url.replace("/v1", ""), "anthropic"),
      google: provider(vendor.url.replace("/v1", ""), "google"),
    },
    models: {
      "chat/model": simulated({ maxOutput: 10_000 }),
      "responses/model": simulated({ maxOutput: 10_000, dialects: ["openai-responses"] }),
      "messages/model": simulated({ maxOutput: 10_000 }),
      "google/model": simulated({ maxOutput: 10_000 }),
    },
    settings: { disconnect: "cancel" },
  })
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

/** Sends the body unchanged, reads everything that the vendor has sent, and disconnects. */
async function leaveAfter(path: string, events: readonly Event[]) {
  const dialect = DIALECTS[path]
  const mark = MARK[path]
  if (!dialect || !mark) throw new Error(path)
  sent = [...dialect.opening, ...events, mark]
  const caller = await gateway.caller("1")
  const controller = new AbortController()
  const limit = path === "/v1/responses" ? "max_output_tokens" : "max_tokens"
  const response = await fetch(gateway.url + (dialect.stream ?? path), {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    body: JSON.stringify(
      dialect.stream === undefined
        ? { ...dialect.body, model: dialect.model, stream: true, [limit]: 10_000 }
        : dialect.body,
    ),
    signal: controller.signal,
  })
  expect(response.status).toBe(200)
  const reader = response.body?.getReader()
  if (!reader) throw new Error("no body")
  await readUntil(reader, (text) => text.includes(SEEN))
  controller.abort()
  return { caller, receipt: await onlyReceipt(gateway, caller) }
}

describe("a caller that disconnects after the opening frames of a response", () => {
  for (const path of Object.keys(DIALECTS)) {
    test(`pays only for the input at ${path}`, async () => {
      const { receipt } = await leaveAfter(path, [])
      expect(receipt).toMatchObject({ status: "settled", estimated: true })
      expect(Object.keys(receipt.usage ?? {})).toEqual(["input"])
    })
  }
})

describe("a caller that disconnects after delivered content", () => {
  for (const [name, { path, events, min }] of Object.entries(KINDS)) {
    test(`pays for ${name} at ${path}`, async () => {
      const { caller, receipt } = await leaveAfter(path, events)
      expect(receipt).toMatchObject({ status: "settled", estimated: true })
      expect(await caller.balance()).toBeLessThan(CREDITS)
      for (const [usageClass, quantity] of Object.entries(min)) {
        const counted = receipt.usage?.[usageClass] ?? 0
        expect(counted).toBeGreaterThanOrEqual(quantity)
        // The content is counted by its text or by its bytes, but not several times.
        expect(counted).toBeLessThanOrEqual(quantity * 9)
      }
    })
  }
})
