import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../../scripted-vendor.ts"
import { receiptOf } from "../../support.ts"

/** Requests for several images to a model that answers some calls with text. */

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const IMAGE = { inlineData: { mimeType: "image/png", data: PNG } }
const TEXT = { text: "I cannot draw this." }

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller
let parts: (object | undefined)[] = []

beforeAll(async () => {
  vendor = startVendor(() => {
    const part = parts.shift()
    if (part === undefined) return Response.json({ error: { message: "no" } }, { status: 400 })
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 100 }
    const content = { role: "model", parts: [part] }
    return Response.json({ candidates: [{ content, finishReason: "STOP" }], usageMetadata })
  })
  gateway = await startGateway({
    settings: { routing: { strategy: "order", affinity: true, hedge: false, retries: 0 } },
    providers: { google: provider(vendor.url.replace("/v1", ""), "google") },
    models: {
      "google/gemini-3-image": {
        kind: "image",
        price: { input: "1", output: "10", image_output: "100" },
      },
    },
  })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

const draw = (n: number) =>
  caller.post("/v1/images/generations", { model: "google/gemini-3-image", prompt: "an owl", n })

test("text that accompanies images is charged at the price of text", async () => {
  parts = [IMAGE, TEXT, IMAGE]
  const response = await draw(3)
  expect(response.status).toBe(200)
  const { usage } = await receiptOf(caller, response)
  expect(usage).toEqual({ input: 30, output: 100, image_output: 200, image: 2 })
})

test("text of calls that succeeded is charged if another call fails", async () => {
  parts = [TEXT, TEXT, TEXT, undefined]
  const response = await draw(4)
  expect(response.status).toBe(400)
  const receipt = await receiptOf(caller, response)
  expect(receipt).toMatchObject({ status: "settled", usage: { input: 30, output: 300 } })
})
