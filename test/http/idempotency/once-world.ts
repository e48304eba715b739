/** A gateway with a vendor whose responses the test sets, and a caller that sends requests with idempotency keys. */
import {
  provider,
  simulated,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../support/gateway.ts"
import { type ScriptedVendor, startVendor, wholeResponse } from "../../relay/scripted-vendor.ts"
import { CHAT, type ErrorBody, HELLO } from "../../relay/support.ts"
import { until } from "../../support/until.ts"

export const DAY = 86_400_000

export let gateway: TestGateway
export let vendor: ScriptedVendor
type Handler = (request: Request) => Response | Promise<Response>
/** The function that creates the vendor's next response. */
export const vendorDoes: { response: Handler } = { response: () => whole() }
export const clock = { now: Date.now() }

export async function setUp(): Promise<void> {
  vendor = startVendor((request) => vendorDoes.response(request))
  gateway = await startGateway({
    providers: { own: provider(vendor.url) },
    models: {
      "own/x": simulated(),
      "own/y": simulated(),
      "own/dall-e-2": { kind: "image", price: { image: "1000" } },
    },
    now: () => clock.now,
    settings: {
      idempotency: { responseBytes: 1 << 20, accountBytes: 3 << 20, totalBytes: 1 << 28 },
    },
  })
}

export async function tearDown(): Promise<void> {
  await gateway[Symbol.asyncDispose]()
  vendor[Symbol.dispose]()
}

export const BODY = { model: "own/x", messages: HELLO }
export const STREAMED = { ...BODY, stream: true }

export function whole(content = "Hello"): Response {
  return Response.json(wholeResponse(content))
}

export function keyed(key: string, headers: Record<string, string> = {}): Record<string, string> {
  return { "idempotency-key": key, ...headers }
}

/** Sends a request with an idempotency key. By default, the body is the same for each request. */
export function send(caller: TestCaller, key: string, body: object = BODY): Promise<Response> {
  return caller.post(CHAT, body, keyed(key))
}

/** Repeats a request until its status is 200, because a gateway process loads a new key after a moment. */
export async function until200(ask: () => Promise<Response>): Promise<Response> {
  let response = await ask()
  await until(async () => {
    if (response.status !== 200) response = await ask()
    return response.status === 200
  })
  return response
}

export async function errorIn(
  response: Response,
): Promise<ErrorBody["error"] & Record<string, unknown>> {
  return ((await response.json()) as ErrorBody).error as ErrorBody["error"] &
    Record<string, unknown>
}
