import { afterAll, beforeAll, expect } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { ModelSettings } from "../../../../src/config/settings.ts"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"

export const MEGABYTE = 1024 * 1024

/** Returns an image model with a price of 0.04 per image. */
export function image(settings: Partial<ModelSettings> = {}): ModelSettings {
  return { kind: "image", price: { image: "40000" }, ...settings }
}

/** Starts a gateway with image models of every vendor. The simulator plays all of them. */
export function startImageGateway(): Promise<TestGateway> {
  return startGateway({
    providersAt: (url) => ({
      google: provider(url, "google"),
      xai: provider(`${url}/v1`, "xai"),
      together: provider(`${url}/v1`, "together"),
      fireworks: provider(`${url}/inference/v1`, "fireworks"),
      openrouter: provider(`${url}/v1`, "openrouter"),
      stability: provider(url, "stability"),
      // The simulator accepts the key only in OpenAI's header.
      azure: { ...provider(`${url}/v1`, "azure"), headers: { authorization: "Bearer azure" } },
      openai: provider(`${url}/v1`, "openai"),
      bedrock: {
        ...provider(url, "bedrock"),
        apiKey: "bedrock",
        region: "us-east-1",
      },
    }),
    models: {
      "sim/gpt-image-1": image({ price: { input: "5", output: "40" } }),
      "sim/gpt-image-seeing": image({
        price: { input: "5", image_input: "10", output: "40" },
        deployments: [{ provider: "sim", model: "gpt-image-1", weight: 1 }],
      }),
      "openai/fault-no-usage": image({ price: { input: "5", output: "40" } }),
      "sim/dall-e-2": image({
        price: { image: "20000", images: { "256x256": "16000", "512x512/hd": "18000" } },
      }),
      "sim/dall-e-3": image({
        price: {
          image: "40000",
          images: { "1024x1024": "40000", "1024x1024/hd": "80000", "1792x1024/hd": "120000" },
        },
      }),
      "sim/fault-500": image(),
      "sim/unpriced": { kind: "image" },
      "google/gemini-2.5-flash-image": image({ price: { input: "0.3", output: "30" } }),
      "google/imagen-4.0-generate-001": image(),
      "xai/grok-imagine-image": image(),
      "together/black-forest-labs/FLUX.1-schnell": image(),
      "fireworks/accounts/fireworks/models/flux-1-schnell-fp8": image(),
      "fireworks/accounts/fireworks/models/stable-diffusion-xl-1024-v1-0": image(),
      "openrouter/google/gemini-3.1-flash-image": image({ price: { input: "0.5", output: "60" } }),
      "stability/core": image(),
      "stability/sd3.5-large": image(),
      "stability/ultra": image(),
      "stability/inpaint": image(),
      "stability/pictures": image({
        deployments: [
          { provider: "stability", model: "core", weight: 1 },
          { provider: "stability", model: "inpaint", weight: 1, price: { image: "50000" } },
        ],
      }),
      "azure/pictures": image(),
      "bedrock/amazon.nova-canvas-v1:0": image(),
      "bedrock/stability.sd3-5-large-v1:0": image(),
      "bedrock/stability.stable-image-inpaint-v1:0": image(),
    },
    settings: {
      limits: {
        bodyBytes: 4 * MEGABYTE,
        mediaBytes: 4 * MEGABYTE,
        responseBytes: 1 << 26,
        mediaPrivate: true,
      },
    },
  })
}

export interface ErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly code: string
    readonly param: string | null
  }
}

export interface Made {
  readonly data: readonly {
    readonly url?: string
    readonly b64_json?: string
    readonly revised_prompt?: string
  }[]
  readonly usage?: Readonly<Record<string, number>>
}

export type Parts = readonly (readonly [name: string, value: string | File])[]

/** Sends a form. */
export function sendForm(
  { url }: TestGateway,
  { key }: TestCaller,
  path: string,
  parts: Parts,
): Promise<Response> {
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  return fetch(`${url}/v1/images/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: form,
  })
}

/** Asserts that a rejected request has no lasting effect. */
export async function expectRejection(
  gateway: TestGateway,
  caller: TestCaller,
  ask: () => Promise<Response>,
  wanted: { readonly status: number; readonly code: string; readonly param?: string | null },
): Promise<void> {
  const before = await caller.balance()
  const asked = gateway.simulator.requests.length
  const response = await ask()
  const { error } = (await response.json()) as ErrorBody
  expect({ status: response.status, code: error.code, param: error.param }).toEqual({
    param: null,
    ...wanted,
  })
  expect(error.type).toBe("invalid_request_error")
  expect(response.headers.get("x-should-retry")).toBe("false")
  expect(gateway.simulator.requests.length).toBe(asked)
  expect(await caller.balance()).toBe(before)
  const credits = (await (await caller.get("/v1/credits")).json()) as { held: string }
  expect(credits.held).toBe("0")
  const uploads = join(gateway.settings.data, "uploads")
  expect(existsSync(uploads) ? readdirSync(uploads) : []).toEqual([])
}

/** A gateway for the tests of one file, and a caller with credits. */
export interface ImageCalls {
  readonly gateway: TestGateway
  readonly caller: TestCaller
  generate(body: object, headers?: Record<string, string>): Promise<Response>
  send(path: string, parts: Parts): Promise<Response>
  /** Asserts that a request is rejected and has no lasting effect. */
  rejected(
    ask: () => Promise<Response>,
    wanted: Parameters<typeof expectRejection>[3],
  ): Promise<void>
}

/** Starts a gateway before the tests of a file, and stops it after them. */
export function imageCalls(): ImageCalls {
  let gateway: TestGateway
  let caller: TestCaller
  beforeAll(async () => {
    gateway = await startImageGateway()
    caller = await gateway.caller("100")
  })
  afterAll(() => gateway[Symbol.asyncDispose]())
  return {
    get gateway() {
      return gateway
    },
    get caller() {
      return caller
    },
    generate: (body, headers = {}) => caller.post("/v1/images/generations", body, headers),
    send: (path, parts) => sendForm(gateway, caller, path, parts),
    rejected: (ask, wanted) => expectRejection(gateway, caller, ask, wanted),
  }
}
