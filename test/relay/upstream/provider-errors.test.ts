import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { ProviderErrorKind } from "../../../src/canon/provider-error-kinds.ts"
import type { ModelSettings, ProviderSettings } from "../../../src/config/settings.ts"
import { sampleOf } from "../../support/exhaustive.ts"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor } from "../scripted-vendor.ts"
import { CHAT, contentOf, errorOf, HELLO, receiptOf } from "../support.ts"

/** An error of a provider in the provider's own form. */
interface Case {
  readonly name: string
  readonly vendor: string
  readonly kind: ProviderErrorKind
  readonly status: number
  readonly body: object
  /** Words of the error that no caller may read. */
  readonly secret: string
}

function openai(message: string, code: string | null = null, type = "invalid_request_error") {
  return { error: { message, type, param: null, code } }
}

const CASES: readonly Case[] = [
  {
    name: "Fireworks, a suspended account",
    vendor: "fireworks",
    kind: "account",
    status: 412,
    body: openai(
      "Account acme is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.",
      "PRECONDITION_FAILED",
      "error",
    ),
    secret: "suspended",
  },
  {
    name: "OpenRouter, an account of the called provider",
    vendor: "openrouter",
    kind: "account",
    status: 400,
    body: {
      error: {
        code: 400,
        message: "Provider returned error",
        metadata: {
          raw: JSON.stringify({ error: { message: "Your credit balance is too low to access" } }),
        },
      },
    },
    secret: "credit balance",
  },
  {
    name: "Cloudflare, an account without the model",
    vendor: "openai-compatible",
    kind: "permission",
    status: 400,
    body: {
      success: false,
      errors: [{ code: 5018, message: "This account is not allowed to access this model." }],
    },
    secret: "not allowed",
  },
  {
    name: "DeepInfra, no payment method",
    vendor: "deepinfra",
    kind: "account",
    status: 400,
    body: openai("inference prohibited, please enter payment method."),
    secret: "payment method",
  },
  {
    name: "LiteLLM, a key without the model",
    vendor: "openai-compatible",
    kind: "permission",
    status: 400,
    body: openai(
      "key not allowed to access model. This key can only access models=['secret-model']. Tried to access gpt-5",
      "key_model_access_denied",
      "400",
    ),
    secret: "secret-model",
  },
  {
    name: "Portkey, a spent budget",
    vendor: "openai-compatible",
    kind: "account",
    status: 400,
    body: openai("Budget exhausted for virtual key ACCT42", "error", "error"),
    secret: "ACCT42",
  },
  {
    name: "Alibaba Cloud, arrears",
    vendor: "openai-compatible",
    kind: "account",
    status: 400,
    body: openai(
      "Access denied, please make sure your account is in good standing.",
      "Arrearage",
      "Arrearage",
    ),
    secret: "good standing",
  },
  {
    name: "LiteLLM, a spent budget",
    vendor: "openai-compatible",
    kind: "account",
    status: 400,
    body: openai(
      "Budget has been exceeded! Current cost: 1.0, Max budget: 0.5",
      "400",
      "budget_exceeded",
    ),
    secret: "Max budget",
  },
  {
    name: "LiteLLM, a spent budget that another LiteLLM reports",
    vendor: "openai-compatible",
    kind: "account",
    status: 400,
    body: openai(
      "litellm.BadRequestError: OpenAIException - Budget has been exceeded! Current cost: 14, Max budget: 10.",
      "400",
    ),
    secret: "Current cost",
  },
  {
    name: "Groq, a restricted organization",
    vendor: "groq",
    kind: "account",
    status: 400,
    body: openai("Organization has been restricted.", "organization_restricted"),
    secret: "restricted",
  },
  {
    name: "Groq, a spend limit",
    vendor: "groq",
    kind: "account",
    status: 400,
    body: openai("API access is blocked: spend limit reached.", "blocked_api_access"),
    secret: "spend limit",
  },
  {
    name: "Anthropic, a disabled organization",
    vendor: "anthropic",
    kind: "account",
    status: 400,
    body: {
      type: "error",
      error: { type: "invalid_request_error", message: "This organization has been disabled." },
    },
    secret: "disabled",
  },
  {
    name: "an unknown error of the account",
    vendor: "openai-compatible",
    kind: "forbidden",
    status: 400,
    body: openai("Your workspace has hit its budget policy."),
    secret: "budget policy",
  },
  {
    name: "Groq, no flex capacity",
    vendor: "groq",
    kind: "capacity",
    status: 498,
    body: openai("Flex tier capacity exceeded", "capacity_exceeded"),
    secret: "Flex",
  },
  {
    name: "Azure, a missing deployment",
    vendor: "openai-compatible",
    kind: "model",
    status: 400,
    body: openai(
      "Could not find an existing deployment to match the model in the request. Please verify the model matches an existing deployment in the account.",
    ),
    secret: "existing deployment",
  },
  {
    name: "Together, a model without an endpoint",
    vendor: "together",
    kind: "model",
    status: 400,
    body: openai(
      "Unable to access non-serverless model acme/large. Please visit the models page.",
      "model_not_available",
    ),
    secret: "non-serverless",
  },
  {
    name: "OpenAI, an unverified organization",
    vendor: "openai",
    kind: "permission",
    status: 400,
    body: openai("Your organization must be verified to use the model `gpt-5`."),
    secret: "verified",
  },
  {
    name: "Google, an unsupported location",
    vendor: "google",
    kind: "account",
    status: 400,
    body: {
      error: {
        code: 400,
        message: "User location is not supported for the API use.",
        status: "FAILED_PRECONDITION",
      },
    },
    secret: "location",
  },
  {
    name: "Google, an aborted request",
    vendor: "google",
    kind: "failure",
    status: 409,
    body: { error: { code: 409, message: "The operation was aborted.", status: "ABORTED" } },
    secret: "operation",
  },
  {
    name: "a retired model",
    vendor: "openai-compatible",
    kind: "model",
    status: 410,
    body: openai("The model has reached its end of life.", "gone"),
    secret: "end of life",
  },
  {
    name: "Anthropic, no credits",
    vendor: "anthropic",
    kind: "account",
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "Your credit balance is too low to access the Anthropic API.",
      },
    },
    secret: "balance",
  },
  {
    name: "Anthropic, a usage limit",
    vendor: "anthropic",
    kind: "account",
    status: 400,
    body: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "You have reached your specified API usage limits. You will regain access soon.",
      },
    },
    secret: "usage limits",
  },
  {
    name: "Cohere, an invalid key",
    vendor: "cohere",
    kind: "credential",
    status: 401,
    body: { id: "1", message: "Incorrect API key provided: secret-of-cohere." },
    secret: "secret-of-cohere",
  },
  {
    name: "xAI, no credits",
    vendor: "xai",
    kind: "account",
    status: 403,
    body: {
      code: "permission-denied",
      error: "Your team 1 has either used all available credits or reached its monthly limit.",
    },
    secret: "credits or reached",
  },
  {
    name: "Bedrock, a model without access",
    vendor: "openai-compatible",
    kind: "permission",
    status: 403,
    body: { message: "You don't have access to the model with the specified model ID." },
    secret: "have access",
  },
  {
    name: "Moonshot, a suspended account",
    vendor: "openai-compatible",
    kind: "account",
    status: 429,
    body: openai(
      "Your account org-1 <ak-1> is suspended due to insufficient balance",
      null,
      "exceeded_current_quota_error",
    ),
    secret: "suspended",
  },
  ...[402, 405, 409, 411, 418, 423, 424, 425, 426, 428, 431, 451].map((status): Case => ({
    name: `any ${status}`,
    vendor: "openai-compatible",
    kind: status === 402 ? "account" : "failure",
    status,
    body: openai("No thanks for the state of your account."),
    secret: "No thanks",
  })),
]

/**
 * How an error reaches the gateway: with its HTTP status, in a body with status 200, or in the first frame of a stream.
 */
const WAYS = ["status", "body", "frame"] as const
type Way = (typeof WAYS)[number]

/**
 * Errors that differ from an error of the request only in their status. They are not recognized in a body with status
 * 200.
 */
const BY_STATUS = /^any |^a retired model$|aborted/
const NAMED = CASES.filter(({ name }) => !BY_STATUS.test(name))
const PATH = /\/(status|body|frame)-(\d+)-/

function responseOf(url: string): Response {
  const [, way, number] = PATH.exec(new URL(url).pathname) ?? []
  const found = CASES[Number(number)]
  if (found === undefined) return new Response("no such case", { status: 500 })
  if (way === "status") return Response.json(found.body, { status: found.status })
  if (way === "body") return Response.json(found.body)
  const event = "type" in found.body ? "event: error\n" : ""
  return new Response(`${event}data: ${JSON.stringify(found.body)}\n\n`, {
    headers: { "content-type": "text/event-stream" },
  })
}

/**
 * Returns the id of a provider. Each case has its own providers, because an error of the account makes all its
 * deployments rest.
 */
function idOf(index: number, way: Way, use: string): string {
  return `${way}-${index}-${use}`
}

const USES = ["whole", "streamed", "alone", "alone-streamed"] as const

let vendor: ScriptedVendor
let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  vendor = startVendor(({ url }) => responseOf(url))
  const root = vendor.url.replace(/\/v1$/, "")
  const providers: Record<string, ProviderSettings> = {}
  const models: Record<string, ModelSettings> = {}
  for (const [index, { vendor: name }] of CASES.entries()) {
    for (const way of WAYS) {
      for (const use of USES) {
        const id = idOf(index, way, use)
        providers[id] = { ...provider(`${root}/${id}/v1`, name), apiKey: "key" }
        const bad = { provider: id, model: "bad", weight: 1 }
        const good = { provider: "sim", model: "echo", weight: 0 }
        const deployments = use.startsWith("alone") ? [bad] : [bad, good]
        models[`m/${id}`] = simulated({ deployments, strategy: "order" })
        models[`m/${id}-other`] = simulated({
          deployments: [{ ...bad, model: "other" }, good],
          strategy: "order",
        })
      }
    }
  }
  gateway = await startGateway({ providers, models })
  caller = await gateway.caller("10")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

function ask(id: string, stream: boolean): Promise<Response> {
  return caller.post(CHAT, { model: `m/${id}`, messages: HELLO, stream, max_tokens: 20 })
}

/** Returns the deployments that are called next for a model of the same account. */
async function nextAttempts(id: string): Promise<string[]> {
  const response = await ask(`${id}-other`, false)
  await response.text()
  const { attempts } = await receiptOf(caller, response)
  return attempts.map(({ deployment }) => deployment)
}

function causeOf(request: string): unknown {
  const logged = gateway.heard.find(
    ({ name, facts }) => name === "attemptFailed" && facts[0] === request,
  )
  return logged?.facts[2]
}

for (const way of WAYS) {
  describe(`an error of a provider's account, ${way === "status" ? "by its status" : `in a ${way}`}`, () => {
    for (const each of way === "status" ? CASES : NAMED) {
      const index = CASES.indexOf(each)
      const isAccount = each.kind === "account" || each.kind === "credential"

      for (const stream of way === "frame" ? [true] : sampleOf([false, true], 2, index)) {
        const use = stream ? "streamed" : "whole"
        test(`causes an attempt at the next deployment: ${each.name}, ${use}`, async () => {
          const id = idOf(index, way, use)
          const response = await ask(id, stream)
          const text = await response.text()
          expect(response.status).toBe(200)
          const said = stream ? contentOf(text) : JSON.parse(text).choices[0].message.content
          expect(said).toBe("Hello there, gateway")
          const receipt = await receiptOf(caller, response)
          expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual([
            each.kind === "capacity" ? "upstream_overloaded" : "upstream_error",
            "ok",
          ])
          // The log contains the error of the account, and the caller's receipt does not.
          expect(causeOf(receipt.id)).toMatchObject({ cause: expect.any(String) })
          expect(receipt.attempts[0]).not.toHaveProperty("cause")
          const attempts = await nextAttempts(id)
          expect(attempts).toEqual(isAccount ? ["sim/echo"] : [`${id}/other`, "sim/echo"])
        })

        test(`reveals nothing about the account to callers: ${each.name}, ${use}`, async () => {
          const id = idOf(index, way, stream ? "alone-streamed" : "alone")
          const response = await ask(id, stream)
          const error = await errorOf(response)
          expect(error.status).toBe(each.kind === "capacity" ? 503 : 502)
          expect(JSON.stringify(error)).not.toContain(each.secret)
        })
      }
    }
  })
}

describe("an error of the request itself", () => {
  const REJECTIONS: readonly [string, number, object, string][] = [
    ["openai", 400, openai("Unknown parameter: 'x'.", "unknown_parameter"), "Unknown parameter"],
    ["openai-compatible", 413, openai("Too large."), "Too large."],
    ["openai-compatible", 415, openai("No such type."), "No such type."],
    ["mistral", 422, { detail: [{ loc: ["body", "x"], msg: "bad" }] }, '"body"'],
    [
      "google",
      400,
      { error: { code: 400, message: "Bad role.", status: "INVALID_ARGUMENT" } },
      "Bad role.",
    ],
    [
      "anthropic",
      400,
      { type: "error", error: { type: "invalid_request_error", message: "No tools." } },
      "No tools.",
    ],
    [
      "xai",
      403,
      { code: "permission-denied", error: "Content violates usage guidelines. " },
      "Content violates",
    ],
  ]
  test.each(REJECTIONS)("reaches the caller at %s (%i)", async (name, status, body, words) => {
    using strict = startVendor(() => Response.json(body, { status }))
    const rejecting = { ...provider(strict.url, name), apiKey: "key" }
    await using own = await startGateway({
      providers: { strict: rejecting },
      models: {
        "strict/one": simulated({
          deployments: [
            { provider: "strict", model: "one", weight: 1 },
            { provider: "sim", model: "echo", weight: 0 },
          ],
          strategy: "order",
        }),
      },
    })
    const someone = await own.caller("1")
    for (const stream of [false, true]) {
      const response = await someone.post(CHAT, { model: "strict/one", messages: HELLO, stream })
      const error = await errorOf(response)
      expect(error.status).toBe(status === 403 ? 400 : status)
      expect(error.error_type).toBe("rejected_by_upstream")
      expect(error.message).toContain(words)
    }
  })
})
