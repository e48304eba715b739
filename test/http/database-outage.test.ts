import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { methodAndPath, plainPath } from "tollgate-contract/route-name.ts"
import { SERVICE_ROUTES } from "tollgate-contract/service-routes.ts"
import { STATEMENT_RETRIES } from "../../src/store/retry-policy.ts"
import { CuttingProxy, type Outage } from "../support/cutting-proxy.ts"
import type { TestCaller } from "../support/gateway.ts"
import { migratedDatabase } from "../support/postgres-databases.ts"
import { HELLO } from "../relay/support.ts"
import { CASES } from "./admin/matrix-cases.ts"
import { type Case, startWorld, type World } from "./admin/matrix-world.ts"

const OUTAGES: readonly Outage[] = ["silent", "refused", "reset"]
const usualWaitMs = STATEMENT_RETRIES.maxWaitMs
let proxy: CuttingProxy
let world: World
let managementRequests: Prepared[]

beforeAll(async () => {
  const url = new URL(await migratedDatabase())
  proxy = await CuttingProxy.listen(Number(url.port))
  url.port = String(proxy.port)
  const connections = { connections: 8, preparedStatements: true, allowInsecure: true }
  const times = { leaseTerm: 600_000, settleTimeout: 500 }
  world = await startWorld(
    { database: { url: url.href, settle: "journal", ...connections, ...times } },
    {
      models: {
        "sim/embedding": { kind: "embedding", price: { input: "1" } },
        "sim/moderation": { kind: "moderation", price: { input: "1" } },
        "sim/rerank": { kind: "rerank", price: { search: "2000" } },
        "sim/image": { kind: "image", price: { image: "40000" } },
        "sim/speech": { kind: "speech", price: { character: "15" } },
        "sim/transcription": { kind: "transcription", price: { second: "100" } },
      },
    },
  )
  managementRequests = []
  for (const one of CASES) managementRequests.push(...(await requestsOf(one)))
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
})

interface Prepared {
  readonly route: string
  readonly send: () => Promise<Response>
}

/** Prepares valid requests to a management route. Some name an object, which is made now. */
async function requestsOf({ route, ask }: Case): Promise<Prepared[]> {
  const { path: parts = {}, query = "", body } = (await ask?.(world, "admin")) ?? {}
  const [method = "", pattern = ""] = route.split(" ")
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? "")
  const url = `${world.gateway.url}/admin/v1${path}?${query}`
  return (["admin", "operator"] as const).map((role) => {
    const headers = { ...world.headersOf(role), "content-type": "application/json" }
    const sent = { method, redirect: "manual" as const, headers }
    return {
      route: `${route} as ${role}`,
      send: () => fetch(url, body === undefined ? sent : { ...sent, body: JSON.stringify(body) }),
    }
  })
}

const CONTENTS = { contents: [{ parts: [{ text: "Hello" }] }] }
const RESPONSE = { model: "sim/echo", input: "Hello" }
const CHAT = { model: "sim/echo", messages: HELLO }
/** Valid bodies of paid endpoints. */
const BODIES: Readonly<Record<string, object>> = {
  "POST /v1/chat/completions": CHAT,
  "POST /v1/messages": { ...CHAT, max_tokens: 20 },
  "POST /v1/responses": RESPONSE,
  "POST /v1/responses/compact": RESPONSE,
  "POST /v1beta/models/{id}:generateContent": CONTENTS,
  "POST /v1beta/models/{id}:streamGenerateContent": CONTENTS,
  "POST /v1/embeddings": { model: "sim/embedding", input: "Hello" },
  "POST /v1/rerank": { model: "sim/rerank", query: "one", documents: ["one", "two"] },
  "POST /v2/rerank": { model: "sim/rerank", query: "one", documents: ["one", "two"] },
  "POST /v1/moderations": { model: "sim/moderation", input: "Hello" },
  "POST /v1/images/generations": { model: "sim/image", prompt: "a barn" },
  "POST /v1/audio/speech": { model: "sim/speech", voice: "alloy", input: "Hello" },
}

/** Prepares a request of a caller without leased credits. */
function serviceRequest(
  name: string,
  { key }: TestCaller,
  more: Readonly<Record<string, string>> = {},
  body: object = BODIES[name] ?? CHAT,
): Prepared {
  const { method, path } = methodAndPath(name)
  const url = world.gateway.url + plainPath(path).replaceAll("{id}", "sim/echo")
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", ...more }
  const sent =
    method === "POST" ? { method, headers, body: JSON.stringify(body) } : { method, headers }
  return { route: name, send: () => fetch(url, sent) }
}

/**
 * Sends requests during an outage.
 * @returns the routes that responded without the database, with their statuses.
 */
async function sendDuring(
  outage: Outage,
  requests: readonly Prepared[],
): Promise<Record<string, number>> {
  const others: Record<string, number> = {}
  Object.assign(STATEMENT_RETRIES, { maxWaitMs: 400 })
  await proxy.beginOutage(outage)
  try {
    await Promise.all(
      requests.map(async ({ route, send }) => {
        const response = await send()
        const { status, headers } = response
        const text = await response.text()
        if (status !== 503) others[route] = status
        else expect([route, text, headers.get("retry-after")]).toEqual([route, UNAVAILABLE, "5"])
      }),
    )
  } finally {
    await proxy.endOutage()
    Object.assign(STATEMENT_RETRIES, { maxWaitMs: usualWaitMs })
  }
  return others
}

const UNAVAILABLE: string = expect.stringMatching(/"ledger_unavailable"|"UNAVAILABLE"/)
/** Routes that respond from memory or from other services, or reject the operator's token. */
const WITHOUT_DATABASE = [
  "DELETE /auth/passkeys/{id} as admin",
  "DELETE /session as admin",
  "DELETE /session/all/{id} as admin",
  "GET /auth/callback/{id} as admin",
  "GET /auth/passkeys as admin",
  "GET /models as admin",
  "GET /models/{provider}/{name} as admin",
  "GET /providers as admin",
  "GET /providers/vendors as admin",
  "GET /session as admin",
  "GET /session/all as admin",
  "GET /settings as admin",
  "GET /settings/issuers as admin",
  "PATCH /auth/passkeys/{id} as admin",
  "PATCH /session as admin",
  "POST /auth/change-password as admin",
  "POST /auth/passkeys as admin",
  "POST /auth/passkeys/begin as admin",
  "POST /auth/sign-in/oidc as admin",
  "POST /auth/sign-in/passkey/begin as admin",
  "POST /auth/two-factor/disable as admin",
  "POST /auth/two-factor/enable as admin",
  "POST /auth/two-factor/generate-backup-codes as admin",
  "POST /settings/issuers/{id}/test as admin",
  "POST /settings/stripe/test as admin",
]
const ENDPOINTS_WITHOUT_DATABASE = [
  "GET /healthz",
  "GET /readyz",
  "GET /v1/audio/models",
  "GET /v1/models",
  "GET /v1/models/{id...}",
  "GET /v1beta/models",
  "GET /v1beta/models/{id...}",
  "POST /v1/messages/count_tokens",
]

function withStatusBelow(limit: number, others: Readonly<Record<string, number>>): string[] {
  return Object.keys(others)
    .filter((route) => (others[route] ?? 0) < limit)
    .toSorted()
}

describe.each(OUTAGES)("while the database is %s", (outage) => {
  test("each management route that needs it responds with 503 to operators", async () => {
    const others = await sendDuring(outage, managementRequests)
    expect(withStatusBelow(500, others)).toEqual(WITHOUT_DATABASE)
    expect(Object.keys(others).toSorted()).toEqual(WITHOUT_DATABASE)
  })

  test("each endpoint that needs it responds with 503 to a caller without leased credits", async () => {
    const caller = await world.gateway.caller("1")
    const requests = Object.keys(SERVICE_ROUTES).map((name) => serviceRequest(name, caller))
    const repeatable = { "idempotency-key": crypto.randomUUID() }
    requests.push(serviceRequest("POST /v1/chat/completions", caller, repeatable))
    // The balance is checked while a longer body arrives.
    for (const length of [8_000, 200_000]) {
      const long = { ...CHAT, messages: [{ role: "user", content: "x".repeat(length) }] }
      requests.push(serviceRequest("POST /v1/chat/completions", caller, {}, long))
    }
    const others = await sendDuring(outage, requests)
    expect(withStatusBelow(400, others)).toEqual(ENDPOINTS_WITHOUT_DATABASE)
    // Requests with an invalid body or path are rejected before the database is needed.
    expect(withStatusBelow(500, others)).toEqual(Object.keys(others).toSorted())
    for (const { route } of requests) {
      if (route in BODIES) expect(others).not.toHaveProperty([route])
    }
  })
})
