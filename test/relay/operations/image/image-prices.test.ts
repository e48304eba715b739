import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../../scripted-vendor.ts"
import { receiptOf } from "../../support.ts"

/** A vendor of images. Images are priced by the size and the quality in the provider's request. */

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller

const TABLE = {
  "1024x1024": "40000",
  "1024x1792": "80000",
  "1024x1024/hd": "80000",
  "1024x1792/hd": "120000",
}

beforeAll(async () => {
  vendor = startVendor(() => Response.json({ created: 1, data: [{ b64_json: "iVBORw0KGgo=" }] }))
  gateway = await startGateway({
    providers: {
      openai: { ...provider(vendor.url, "openai"), apiKey: "key" },
      own: { ...provider(vendor.url), apiKey: "key" },
      xai: { ...provider(vendor.url, "xai"), apiKey: "key" },
      together: { ...provider(vendor.url, "together"), apiKey: "key" },
    },
    models: Object.fromEntries(
      [
        ["openai", "dall-e-3"],
        ["openai", "dall-e-2"],
        ["own", "any"],
        ["xai", "grok-image"],
        ["together", "flux"],
      ].map(([name = "", model = ""]) => [
        `${name}/${model}`,
        {
          kind: "image",
          price: { image: "40000", images: TABLE },
          deployments: [{ provider: name, model, weight: 1 }],
        },
      ]),
    ),
  })
  caller = await gateway.caller("100")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

async function make(model: string, order: object) {
  const path = "/v1/images/generations"
  const response = await caller.post(path, { model, prompt: "an owl", ...order })
  expect(response.status).toBe(200)
  const { cost } = await receiptOf(caller, response)
  return { cost, sent: vendor.bodies.at(-1) ?? {} }
}

test.each([
  ["openai/dall-e-3", { size: "1024x1024" }, "1024x1024", "0.04"],
  ["openai/dall-e-3", { size: "1000x1792" }, "1024x1792", "0.08"],
  ["openai/dall-e-3", { size: "1000x1792", quality: "hd" }, "1024x1792", "0.12"],
  ["openai/dall-e-3", { size: "1000x1000", quality: "hd" }, "1024x1024", "0.08"],
  ["openai/dall-e-3", { size: "1024x1792", quality: "HD" }, "1024x1792", "0.12"],
  ["openai/dall-e-3", { size: "1024x1792", quality: "hd " }, "1024x1792", "0.12"],
  ["own/any", { size: "1000x1792", quality: "hd" }, "1000x1792", "0.12"],
  ["own/any", { size: "1000x1792" }, "1000x1792", "0.04"],
  ["xai/grok-image", { size: "1000x1792" }, undefined, "0.12"],
  ["xai/grok-image", {}, undefined, "0.04"],
] as const)(
  "an image of %s is charged %j, according to the parameters of the request",
  async (model, order, size, cost) => {
    const made = await make(model, { response_format: "b64_json", ...order })
    expect(made.sent["size"]).toBe(size)
    expect(made.cost).toBe(cost)
  },
)

test("a number of steps is not sent if it would determine the provider's price", async () => {
  const made = await make("together/flux", { steps: 50, seed: 1, response_format: "b64_json" })
  expect(made.sent).toMatchObject({ seed: 1 })
  expect(made.sent).not.toHaveProperty("steps")
})
