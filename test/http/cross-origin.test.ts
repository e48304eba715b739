import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { startGateway, type TestCaller, type TestGateway } from "../support/gateway.ts"

const APP = "https://app.example.com"
const CHAT = "/v1/chat/completions"
const HELLO = { model: "sim/echo", messages: [{ role: "user", content: "Hello" }] }

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway({ settings: { corsOrigins: [APP, "http://localhost:3000"] } })
  caller = await gateway.caller("1")
})

afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

function preflight(path: string, headers: Record<string, string>): Promise<Response> {
  return fetch(gateway.url + path, { method: "OPTIONS", headers })
}

const ASKING = {
  origin: APP,
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type,x-stainless-lang",
}

function crossOriginHeaders({ headers }: Response): string[] {
  return [...headers.keys()].filter((name) => name.startsWith("access-control-"))
}

describe("a page of an allowed origin", () => {
  test.each([
    CHAT,
    "/v1/messages",
    "/v1/models/sim/echo",
    "/v2/rerank",
    "/v1/nothing",
    "/v1/v1/messages",
  ])("passes the preflight: %s", async (path) => {
    const response = await preflight(path, ASKING)
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "access-control-allow-origin": APP,
      "access-control-allow-methods": "GET, HEAD, POST, DELETE",
      "access-control-allow-headers": "authorization,content-type,x-stainless-lang",
      "access-control-max-age": "7200",
      vary: "origin, access-control-request-headers",
    })
    expect(response.headers.has("access-control-allow-credentials")).toBe(false)
  })

  test("can read complete and streamed responses and their headers", async () => {
    for (const stream of [false, true]) {
      const response = await caller.post(CHAT, { ...HELLO, stream }, { origin: APP })
      expect(await response.text()).toContain("Hell")
      expect(response.headers.get("access-control-allow-origin")).toBe(APP)
      expect(response.headers.get("vary")).toBe("origin")
      const exposed = (response.headers.get("access-control-expose-headers") ?? "").split(", ")
      const ours = [...response.headers.keys()].filter((name) =>
        /^x-(request|tollgate|ratelimit|should)|^request-id/.test(name),
      )
      expect(ours).not.toBeEmpty()
      expect(exposed).toEqual(expect.arrayContaining(ours))
      expect(exposed).toContain("retry-after")
    }
  })

  test("can read errors", async () => {
    const wrong = [
      await caller.post(CHAT, "{", { origin: APP }),
      await fetch(gateway.url + CHAT, { method: "POST", headers: { origin: APP } }),
      await caller.post("/v1/nothing", {}, { origin: APP }),
      await caller.post("/v1/models", {}, { origin: APP }),
    ]
    expect(wrong.map(({ status }) => status)).toEqual([400, 401, 404, 405])
    for (const { headers } of wrong) expect(headers.get("access-control-allow-origin")).toBe(APP)
  })
})

describe("cross-origin response headers", () => {
  test("do not appear for a page of a forbidden origin", async () => {
    for (const origin of ["https://evil.example", "https://app.example.com:444", "null"]) {
      const asked = await preflight(CHAT, { ...ASKING, origin })
      expect([asked.status, crossOriginHeaders(asked)]).toEqual([405, []])
      const response = await caller.post(CHAT, HELLO, { origin })
      expect([response.status, crossOriginHeaders(response)]).toEqual([200, []])
    }
  })

  test("do not appear for a client without an origin", async () => {
    expect(crossOriginHeaders(await caller.post(CHAT, HELLO))).toEqual([])
  })

  test("do not appear in the management API", async () => {
    for (const path of ["/admin/v1/keys", "/console/", "/openapi.json"]) {
      expect(crossOriginHeaders(await preflight(path, ASKING))).toEqual([])
    }
  })

  test("do not appear if the settings allow no origin", async () => {
    await using plain = await startGateway()
    const asked = await fetch(plain.url + CHAT, { method: "OPTIONS", headers: ASKING })
    expect([asked.status, crossOriginHeaders(asked)]).toEqual([405, []])
  })
})

test("the setting for any origin causes the header value `*`, and allows no cookies", async () => {
  await using open = await startGateway({ settings: { corsOrigins: ["*"] } })
  const asked = await fetch(open.url + CHAT, { method: "OPTIONS", headers: ASKING })
  expect(asked.headers.get("access-control-allow-origin")).toBe("*")
  expect(asked.headers.has("access-control-allow-credentials")).toBe(false)
})

test("a changed origin setting takes effect immediately", async () => {
  await using own = await startGateway()
  const ask = () => fetch(own.url + CHAT, { method: "OPTIONS", headers: ASKING })
  expect((await ask()).status).toBe(405)
  await own.app.apply({ ...own.settings, corsOrigins: [APP] })
  expect((await ask()).status).toBe(204)
})
