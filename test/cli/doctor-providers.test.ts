import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { createServer } from "node:net"
import { exportPKCS8, generateKeyPair } from "jose"
import { checkProviders, checkProxies } from "../../src/cli/doctor-providers.ts"
import type { ProviderSettings } from "../../src/config/settings.ts"
import { probeProvider } from "../../src/management/probe.ts"
import { vendors } from "../../src/vendors/index.ts"
import { settings } from "../catalog/support.ts"

let server: Bun.Server<undefined>
let url: string
let asked: { method: string; path: string; headers: Headers }[] = []
let answer: (path: string) => Response

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    fetch({ method, url: address, headers }) {
      const path = address.slice(new URL(address).origin.length)
      asked.push({ method, path, headers })
      return answer(path)
    },
  })
  url = `http://127.0.0.1:${server.port}`
})

afterAll(() => server.stop(true))

beforeEach(() => {
  asked = []
  answer = () => Response.json({ data: [] })
})

async function check(vendor: string, more: Partial<ProviderSettings>) {
  const provider: ProviderSettings = {
    vendor,
    headers: {},
    knownModels: true,
    origin: "file",
    ...more,
  }
  const { checks } = await checkProviders(settings({ one: provider }))
  const [found] = checks
  if (!found) throw new Error("nothing was checked")
  return found
}

const LARGE_LISTS: readonly (readonly [name: string, text: () => string])[] = [
  ["long lists of lists", () => "[".repeat(8_000_000)],
  ["empty objects", () => `{"data":[${"{},".repeat(2_000_000)}{}]}`],
  ["numbers", () => `[${"0,".repeat(3_000_000)}0]`],
  ["numbered names", () => `{${Array.from({ length: 400_000 }, (_, n) => `"${n}":0`).join()}}`],
  ["a list of more than 8 MB", () => `{"data":[{"id":"${"x".repeat(9_000_000)}"}]}`],
]

test.each(LARGE_LISTS)(
  "the test of a provider does not request the model list of %s",
  async (_, textOf) => {
    const text = textOf()
    const settings = {
      vendor: "openai",
      headers: {},
      knownModels: true,
      origin: "file",
      baseUrl: url,
      apiKey: "good",
    } as const
    const vendor = vendors.get("openai")
    if (!vendor) throw new Error("there is no such vendor")
    for (const status of [200, 400]) {
      const headers = { "content-type": "application/json" }
      answer = () => new Response(text, { status, headers })
      const begin = process.cpuUsage()
      const finding = await probeProvider(settings, vendor, true)
      const { user } = process.cpuUsage(begin)
      expect(finding.models).toBeUndefined()
      if (status === 200) expect(finding.found).toBe("its list of models is too long to be read")
      // Parsing these lists takes 660 to 1,400 ms. Most of this time is the server of the test.
      expect(user / 1_000).toBeLessThan(600)
    }
  },
)

test("doctor tests each of a provider's credentials and shows its name", async () => {
  answer = () => {
    const isGood = asked.at(-1)?.headers.get("authorization") === "Bearer good"
    return new Response("{}", { status: isGood ? 200 : 401 })
  }
  const apiKeys = [
    { name: "main", weight: 1, apiKey: "good" },
    { name: "backup", weight: 0, apiKey: "bad" },
  ]
  const provider = { vendor: "openai", baseUrl: url, headers: {}, knownModels: true } as const
  const { checks } = await checkProviders(
    settings({ one: { ...provider, apiKeys, origin: "file" } }),
  )
  expect(checks.map(({ name, result }) => `${name}: ${result}`)).toEqual([
    "provider one, key main: ok",
    "provider one, key backup: failed",
  ])
})

describe("doctor's test of a credential by the vendor's model list", () => {
  const cases: [string, string, string, string][] = [
    ["anthropic", "/v1/models", "x-api-key", "secret"],
    ["google", "/v1beta/models?pageSize=1", "x-goog-api-key", "secret"],
    ["cohere", "/v1/models", "authorization", "Bearer secret"],
    ["azure", "/openai/v1/models", "api-key", "secret"],
    ["openai", "/models", "authorization", "Bearer secret"],
  ]
  for (const [vendor, path, header, value] of cases) {
    test(`accepts a working credential of ${vendor}`, async () => {
      const found = await check(vendor, { baseUrl: url, apiKey: "secret" })
      expect(found).toEqual({
        name: "provider one",
        result: "ok",
        found: "it accepts the credential",
      })
      expect(asked.map((one) => `${one.method} ${one.path}`)).toEqual([`GET ${path}`])
      expect(asked[0]?.headers.get(header)).toBe(value)
      const isAnthropic = vendor === "anthropic"
      expect(asked[0]?.headers.get("anthropic-version")).toBe(isAnthropic ? "2023-06-01" : null)
    })
  }

  test("sends the provider's own headers", async () => {
    const headers = { "x-team": "blue" }
    await check("anthropic", { baseUrl: url, apiKey: "secret", headers })
    expect(asked[0]?.headers.get("x-team")).toBe("blue")
  })
})

describe("doctor's check of a provider", () => {
  const invalidKey = {
    error: {
      code: 400,
      message: "API key not valid. Please pass a valid API key.",
      status: "INVALID_ARGUMENT",
    },
  }

  test("recognizes Google's status 400 for an invalid key", async () => {
    answer = () => Response.json(invalidKey, { status: 400 })
    const found = await check("google", { baseUrl: url, apiKey: "secret" })
    expect(found).toMatchObject({
      result: "failed",
      found: "it rejects the credential (400)",
    })
    expect(found.fix).toContain("api_key")
  })

  test("reports a suspended account or an account without funds as a failed credential", async () => {
    const suspended = { error: { message: "Account acme is suspended.", type: "error" } }
    for (const [body, status] of [
      [suspended, 412],
      [{ error: { message: "Insufficient Balance" } }, 402],
      [{ error: { message: "x", code: "Arrearage" } }, 400],
    ] as const) {
      answer = () => Response.json(body, { status })
      const found = await check("openai", { baseUrl: url, apiKey: "secret" })
      expect(found).toMatchObject({ result: "failed", found: `it rejects the account (${status})` })
      expect(found.fix).toContain("billing")
    }
  })

  test.each([
    ["http://127.0.0.1:1", "ECONNREFUSED"],
    ["https://no-such-host.invalid", "ENOTFOUND"],
  ])("reports an unreachable provider at %s with the cause", async (baseUrl, code) => {
    const found = await check("openai", { baseUrl, apiKey: "secret" })
    expect(found.result).toBe("warning")
    expect(found.found).toStartWith(`it cannot be reached at ${new URL(baseUrl).host}: `)
    expect(found.found).toEndWith(`(${code})`)
  })

  test("reports an https:// URL of a port without TLS", async () => {
    const found = await check("openai", {
      baseUrl: url.replace("http:", "https:"),
      apiKey: "secret",
    })
    expect(found.found).toContain("does not use TLS")
  })

  test("accepts other 400 responses, a missing model list and a busy server", async () => {
    const results: [Response, string, string][] = [
      [
        Response.json({ error: { message: "no such page" } }, { status: 400 }),
        "ok",
        "reached (400)",
      ],
      [new Response("<html>", { status: 404 }), "ok", "reached (404)"],
      [new Response("", { status: 503 }), "warning", "it answers with 503"],
      [new Response("{}", { status: 408 }), "warning", "it answers with 408"],
      [new Response("{}", { status: 421 }), "warning", "it answers with 421"],
      [new Response("{}", { status: 429 }), "warning", "it answers with 429"],
      [new Response("{}", { status: 451 }), "warning", "it answers with 451"],
      [new Response("", { status: 403 }), "failed", "it rejects the credential (403)"],
    ]
    for (const [response, result, found] of results) {
      answer = () => response
      expect(await check("openai", { baseUrl: url, apiKey: "secret" })).toMatchObject({
        result,
        found,
      })
    }
  })
})

describe("doctor's check of a response that is not from an API", () => {
  test.each([301, 302, 303, 307, 308])("fails for a redirect with %p", async (status) => {
    const location = "https://user:word@portal.example.com/login?token=secret"
    answer = () => new Response(null, { status, headers: { location } })
    const found = await check("openai", { baseUrl: url, apiKey: "secret" })
    expect(found).toEqual({
      name: "provider one",
      result: "failed",
      found: `it redirects to https://portal.example.com (${status}), which the gateway does not follow`,
      fix: "correct its base_url",
    })
  })

  test.each([
    ["<!doctype html><title>Sign in</title>", "text/html", "a web page"],
    ["<html>", "text/plain", "a web page"],
    ["OK", "text/plain", "a body that is not JSON"],
    ["", "text/plain", "a body that is not JSON"],
  ])("fails for %p, described as %p", async (body, type, words) => {
    answer = () => new Response(body, { headers: { "content-type": type } })
    for (const vendor of ["openai", "anthropic", "google", "cohere", "azure"]) {
      const found = await check(vendor, { baseUrl: url, apiKey: "secret" })
      expect(found).toMatchObject({ result: "failed", found: `it answers with ${words}` })
    }
  })
})

/** Starts a server that answers each first packet with some bytes, or closes the connection if there are none. */
async function answeringServer(responseTo: (first: Buffer) => Buffer | undefined) {
  const listener = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", (first) => {
      const bytes = responseTo(Buffer.from(first))
      if (bytes) socket.end(bytes)
      else socket.resetAndDestroy()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve))
  const address = listener.address()
  return { listener, port: typeof address === "object" && address !== null ? address.port : 0 }
}

/** The first byte of a TLS handshake. */
const HANDSHAKE = 0x16
/** A fatal TLS alert: the server supports none of the ciphers. */
const ALERT = Buffer.from([0x15, 3, 3, 0, 2, 2, 40])

test.each([
  ["closes other connections", () => undefined],
  ["sends an alert on other connections", () => ALERT],
])("doctor reports an http:// URL of a port with TLS that %s", async (_, responseToHttp) => {
  const { listener, port } = await answeringServer((first) =>
    first[0] === HANDSHAKE ? ALERT : responseToHttp(),
  )
  const found = await check("openai", { baseUrl: `http://127.0.0.1:${port}`, apiKey: "secret" })
  listener.close()
  expect(found.result).toBe("warning")
  expect(found.found).toContain(`at 127.0.0.1:${port}: the server expects TLS on this port`)
})

test("doctor does not suggest TLS for a port that closes all connections", async () => {
  const { listener, port } = await answeringServer(() => undefined)
  const found = await check("openai", { baseUrl: `http://127.0.0.1:${port}`, apiKey: "secret" })
  listener.close()
  expect(found.found).toEndWith("(ECONNRESET)")
})

test.each([
  [40, "supports none of the ciphers, or requires a client certificate"],
  [42, "requires a client certificate"],
  [70, "supports no TLS version from 1.2 on"],
  [80, "rejected the TLS handshake"],
  [112, "does not serve this host name"],
  [116, "requires a client certificate"],
])("doctor names the reason for a TLS handshake that fails with alert %p", async (alert, words) => {
  const fatal = Buffer.from([0x15, 3, 3, 0, 2, 2, alert])
  const { listener, port } = await answeringServer(() => fatal)
  const found = await check("openai", { baseUrl: `https://127.0.0.1:${port}`, apiKey: "secret" })
  listener.close()
  expect(found.result).toBe("warning")
  expect(found.found).toContain(words)
  expect(found.found).toEndWith("(EPROTO)")
})

describe("doctor's test of a service account by a token request", () => {
  async function vertex() {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true })
    const credentials = {
      clientEmail: "robot@robots.iam.gserviceaccount.com",
      privateKey: await exportPKCS8(privateKey),
      tokenUri: `${url}/token`,
      projectId: "robots",
    }
    return check("vertex", { credentials })
  }

  test("succeeds if it gets a token", async () => {
    answer = () => Response.json({ access_token: "token", expires_in: 3600 })
    expect(await vertex()).toEqual({
      name: "provider one",
      result: "ok",
      found: "its credentials are accepted: they returned a token",
    })
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /token"])
  })

  test("fails with the error of the token endpoint", async () => {
    answer = () => Response.json({ error: "invalid_grant" }, { status: 400 })
    const found = await vertex()
    expect(found.result).toBe("failed")
    expect(found.found).toContain("(invalid_grant)")
    expect(found.fix).toBe("correct its credentials")
  })
})

test("doctor does not send Bedrock's check to another vendor's URL", async () => {
  const found = await check("bedrock", { baseUrl: url, region: "us-east-1", apiKey: "secret" })
  expect(found).toMatchObject({
    result: "ok",
    found: "its credential is not tested at a custom base_url",
  })
  expect(asked).toEqual([])
})

test("doctor lists the configured proxies without their passwords", () => {
  expect(checkProxies({})).toEqual([])
  // This setting is reported in the warnings of the start.
  expect(checkProxies({ ALL_PROXY: "socks5://proxy:1080" })).toEqual([])
  const environment = {
    HTTPS_PROXY: "http://user:word@proxy:3128",
    ALL_PROXY: "http://other:1",
    NO_PROXY: "localhost,.corp",
  }
  expect(checkProxies(environment)).toEqual([
    {
      name: "proxy",
      result: "ok",
      found:
        "https by http://proxy:3128 (HTTPS_PROXY), http by http://other:1 (ALL_PROXY); without it: localhost,.corp",
    },
  ])
})
