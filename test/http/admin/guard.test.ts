import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { route } from "tollgate-contract/route.ts"
import * as z from "zod"
import { adminApp } from "../../../src/http/admin/app.ts"
import { endpoints, openEndpoints } from "../../../src/http/admin/endpoint.ts"
import { PersonLimits } from "../../../src/http/admin/person-limits.ts"
import { MemoryBudget } from "../../../src/limits/memory-budget.ts"
import { Guard } from "../../../src/http/admin/guard.ts"
import type { Actor } from "../../../src/management/actor.ts"
import type { Events } from "../../../src/telemetry/events.ts"
import { ADMIN_TOKEN, errorOf } from "./support.ts"

const KNOWN = {
  "POST /things/{id}": route({
    summary: "Change a thing",
    minimumRole: "session",
    response: z.object({ by: z.string(), id: z.string(), address: z.string().nullable() }),
  }),
  "GET /things/{kind}/{name...}": route({
    summary: "Read a thing",
    minimumRole: "session",
    response: z.object({ kind: z.string(), name: z.string() }),
  }),
  "DELETE /things/{id}": route({ summary: "Remove a thing", minimumRole: "operator" }),
}

const OPEN = {
  "POST /open": route({ summary: "Open to all", minimumRole: "anyone" }),
  "GET /broken": route({ summary: "Fails", minimumRole: "anyone" }),
}

const USER: Actor = {
  kind: "user",
  id: "user_1",
  name: "reader@example.com",
  isOperator: false,
  roles: new Map(),
  address: null,
}

const failures: unknown[] = []
const UNUSED = { respond: () => Promise.reject(new Error("no key was sent")) }
let server: Bun.Server<undefined>

beforeAll(() => {
  const guard = new Guard({
    actorOf: async (headers) => (headers.get("cookie") === "session=good" ? USER : undefined),
    adminToken: () => ADMIN_TOKEN,
    trustedOrigins: () => ["https://gateway.example.com/base"],
  })
  const events = {
    requestFailed: (_: string, error: unknown) => failures.push(error),
    errorAnswered: () => undefined,
  }
  const handler = adminApp(
    [
      ...endpoints(KNOWN, {
        "POST /things/{id}": ({ actor, path, address }) => ({
          by: actor.name,
          id: path("id"),
          address,
        }),
        "GET /things/{kind}/{name...}": ({ path }) => ({ kind: path("kind"), name: path("name") }),
        "DELETE /things/{id}": () => undefined,
      }),
      ...openEndpoints(OPEN, {
        "POST /open": ({ actor }) =>
          new Response(actor?.name ?? "nobody", {
            headers: [
              ["set-cookie", "a=1"],
              ["set-cookie", "b=2"],
            ],
          }),
        "GET /broken": () => {
          throw new Error("the password is hunter2")
        },
      }),
    ],
    {
      guard,
      events: events as unknown as Events,
      idempotency: UNUSED,
      memory: new MemoryBudget(1 << 24),
      limits: new PersonLimits(),
      publicUrl: () => undefined,
    },
  )
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, own) =>
      handler(request, {
        address: own.requestIP(request)?.address ?? null,
        origin: request.headers.get("test-origin") ?? undefined,
        waitLong() {},
        waitShort() {},
      }),
  })
})

afterAll(async () => {
  await server.stop(true)
})

function ask(method: string, path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(`${server.url.origin}/admin/v1${path}`, { method, headers })
}

const COOKIE = { cookie: "session=good" }
const CONSOLE = { ...COOKIE, "x-tollgate-console": "1" }

describe("the cross-site check for session requests", () => {
  test("accepts a request from the console", async () => {
    const response = await ask("POST", "/things/7", CONSOLE)
    expect(await response.json()).toEqual({ by: USER.name, id: "7", address: "127.0.0.1" })
  })

  test.each([
    ["a same-origin page", { "sec-fetch-site": "same-origin" }],
    ["the address behind a proxy", { origin: "https://gateway.example.com" }],
  ])("accepts a request from %s", async (_, headers) => {
    const response = await ask("POST", "/things/7", { ...CONSOLE, ...headers })
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })

  test("accepts a request from its own origin", async () => {
    const headers = { ...CONSOLE, origin: server.url.origin }
    const response = await ask("POST", "/things/7", headers)
    expect(response.status).toBe(200)
    await response.body?.cancel()
  })

  test.each<[string, Record<string, string>]>([
    ["without the console's header", COOKIE],
    ["with another value of that header", { ...COOKIE, "x-tollgate-console": "0" }],
    ["from another site", { ...CONSOLE, "sec-fetch-site": "cross-site" }],
    ["from a same-site origin", { ...CONSOLE, "sec-fetch-site": "same-site" }],
    ["without an initiating page", { ...CONSOLE, "sec-fetch-site": "none" }],
    ["from another origin", { ...CONSOLE, origin: "https://evil.example" }],
    ["from an opaque origin", { ...CONSOLE, origin: "null" }],
    ["from another port", { ...CONSOLE, origin: "http://127.0.0.1:1" }],
    [
      "from an origin with the same prefix",
      { ...CONSOLE, origin: "https://gateway.example.com.evil" },
    ],
  ])("rejects a request %s", async (_, headers) => {
    const response = await ask("POST", "/things/7", headers)
    expect(response.status).toBe(403)
    expect((await errorOf(response)).error_type).toBe("forbidden")
  })

  test("rejects requests from other sites even if the endpoint requires no session", async () => {
    for (const headers of [{}, COOKIE, { ...CONSOLE, origin: "https://evil.example" }]) {
      const response = await ask("POST", "/open", headers as Record<string, string>)
      expect(response.status).toBe(403)
      await response.body?.cancel()
    }
    const response = await ask("POST", "/open", { "x-tollgate-console": "1" })
    expect(await response.text()).toBe("nobody")
  })
})

test("a request with the admin token requires no console header and acts as the operator", async () => {
  const headers = { authorization: `bearer  ${ADMIN_TOKEN}`, origin: "https://elsewhere.example" }
  const response = await ask("POST", "/things/7", headers)
  expect(await response.json()).toMatchObject({ by: "admin token" })
  expect((await ask("DELETE", "/things/7", headers)).status).toBe(204)
})

test("a valid session does not replace an invalid token", async () => {
  const response = await ask("POST", "/things/7", { ...CONSOLE, authorization: "Bearer wrong" })
  expect(response.status).toBe(401)
  await response.body?.cancel()
})

test("users cannot call operator endpoints", async () => {
  const response = await ask("DELETE", "/things/7", CONSOLE)
  expect(response.status).toBe(403)
  await response.body?.cancel()
})

test("a read request requires only a session, and the last path parameter can contain slashes", async () => {
  const response = await ask("GET", "/things/model/openai/gpt%205?x=1", COOKIE)
  expect(await response.json()).toEqual({ kind: "model", name: "openai/gpt 5" })
})

test("a response sends all of its cookies", async () => {
  const response = await ask("POST", "/open", CONSOLE)
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"])
  expect(response.headers.get("cache-control")).toBe("no-store")
  expect(await response.text()).toBe(USER.name)
})

test("details of an internal error are reported to the operator and hidden from the client", async () => {
  const response = await ask("GET", "/broken", {})
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain("hunter2")
  expect(String(failures.at(-1))).toContain("hunter2")
})
