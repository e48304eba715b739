import { afterAll, beforeAll, expect, test } from "bun:test"
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { startStateVendor, type StateVendor } from "./state-vendor.ts"
import { errorOf } from "../support.ts"

const MODEL = "first/gpt"

let vendor: StateVendor
let gateway: TestGateway
let ann: TestCaller
let bob: TestCaller

beforeAll(async () => {
  vendor = startStateVendor()
  gateway = await startGateway({
    providers: { first: provider(vendor.url, "openai") },
    models: {
      [MODEL]: simulated({
        context: 200_000,
        deployments: [{ provider: "first", model: "gpt", weight: 1 }],
      }),
    },
    settings: { vendorState: "any" },
  })
  ann = await gateway.caller()
  bob = await gateway.caller()
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
})

function ask(caller: TestCaller, body: object): Promise<Response> {
  return caller.post("/v1/responses", { model: MODEL, input: "Hi", max_output_tokens: 20, ...body })
}

test("an unknown id is passed on with a hold for the whole context, and is assigned to no account", async () => {
  const body = { conversation: "conv_old" }
  for (const caller of [ann, bob]) {
    const response = await ask(caller, body)
    expect(response.status).toBe(200)
    // The vendor's response repeats the name of the conversation.
    expect(await response.json()).toMatchObject({ conversation: { id: "conv_old" } })
    const receipt = await caller.get(`/v1/receipts/${response.headers.get("x-request-id")}`)
    expect(await receipt.json()).toMatchObject({ hold: "0.20004" })
  }
})

test("a request with an unknown id is rejected if the credits do not cover the whole context", async () => {
  const poor = await gateway.caller("0.01")
  const rejected = await errorOf(await ask(poor, { previous_response_id: "resp_x" }))
  expect(rejected).toMatchObject({ status: 402, code: "insufficient_credits" })
})

test("an id of another account is rejected", async () => {
  const { id } = (await (await ask(ann, {})).json()) as { id: string }
  const others = await errorOf(await ask(bob, { previous_response_id: id }))
  expect(others).toMatchObject({ status: 404, code: "not_found", param: "previous_response_id" })
  const own = await ask(ann, { previous_response_id: id })
  expect(own.status).toBe(200)
})

test("a vendor's 404 for an unknown id is returned to the caller", async () => {
  const message = "Conversation with id 'conv_y' not found."
  vendor.rejection = { status: 404, body: { error: { message, type: "invalid_request_error" } } }
  const rejected = await ask(ann, { conversation: "conv_y" })
  vendor.rejection = undefined
  expect(rejected.headers.get("x-should-retry")).toBe("false")
  expect(await errorOf(rejected)).toMatchObject({ status: 404, message })
})

test("a vendor's 404 for an unknown model or deployment counts as a vendor failure", async () => {
  const errors = [
    { message: "The model 'gpt' does not exist", code: "model_not_found" },
    { message: "The API deployment for this resource does not exist", code: "DeploymentNotFound" },
  ]
  for (const error of errors) {
    vendor.rejection = { status: 404, body: { error } }
    const failed = await ask(ann, { conversation: "conv_y" })
    vendor.rejection = undefined
    expect(failed.status).toBe(502)
  }
})
