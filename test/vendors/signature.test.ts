import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { createHash, createHmac } from "node:crypto"
import type { ProviderSettings } from "../../src/config/settings.ts"
import { providerOf, urlOf, vendorOf } from "./support.ts"

const PAIR = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
}
const MODELS = ["us.amazon.nova-lite-v1:0", "arn:aws:bedrock:us-east-1:1:inference-profile/a b"]

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()

/** Returns the signature of a received request, computed by AWS's own description. */
function expectedSignature(path: string, headers: Headers, body: string, method = "POST"): string {
  const authorization = headers.get("authorization") ?? ""
  const scope = /Credential=AKIDEXAMPLE\/([^,]+),/.exec(authorization)?.[1] ?? ""
  const names = /SignedHeaders=([^,]+),/.exec(authorization)?.[1]?.split(";") ?? []
  const canonical = [
    method,
    // Each segment of the path is already encoded, and is encoded a second time here.
    path.split("/").map(encodeSegment).join("/"),
    "",
    ...names.map((name) => `${name}:${headers.get(name) ?? ""}`),
    "",
    names.join(";"),
    sha256(body),
  ].join("\n")
  const [date = "", region = "", service = ""] = scope.split("/")
  const time = headers.get("x-amz-date") ?? ""
  const key = [date, region, service, "aws4_request"].reduce<Buffer | string>(
    (derived, text) => hmac(derived, text),
    `AWS4${PAIR.secretAccessKey}`,
  )
  return hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")).toString("hex")
}

const encodeSegment = (segment: string) =>
  encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )

interface Received {
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

let server: Bun.Server<undefined>
let received: Received[] = []

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    async fetch(request) {
      // The path of the request as it was sent.
      const path = request.url.slice(new URL(request.url).origin.length)
      received.push({ path, headers: request.headers, body: await request.text() })
      return new Response("{}")
    },
  })
})

afterAll(() => server.stop(true))

async function send(provider: ProviderSettings, model: string, body: string): Promise<Received> {
  received = []
  const url = urlOf(provider, "bedrock-converse", model)
  const headers = await vendorOf("bedrock").signer(provider).sign({ url, body })
  const response = await fetch(url, { method: "POST", headers, body })
  expect(response.ok).toBe(true)
  const [first] = received
  if (!first) throw new Error("nothing was received")
  return first
}

const bedrock = (more: Partial<ProviderSettings> = {}) =>
  providerOf("bedrock", { ...PAIR, baseUrl: `http://127.0.0.1:${server.port}`, ...more })

describe("a request signed with a key pair", () => {
  for (const model of MODELS) {
    test(`has the signature that AWS expects: ${model}`, async () => {
      const body = '{"messages":[{"role":"user","content":[{"text":"ö ☃"}]}]}'
      const { path, headers, body: arrived } = await send(bedrock(), model, body)
      expect(path).toBe(`/model/${encodeURIComponent(model)}/converse`)
      const signature = /Signature=([0-9a-f]{64})$/.exec(headers.get("authorization") ?? "")?.[1]
      expect(signature).toBe(expectedSignature(path, headers, arrived))
      expect(headers.get("authorization")).toContain("/us-east-1/bedrock/aws4_request")
      expect(JSON.stringify([...headers])).not.toContain(PAIR.secretAccessKey)
    })
  }

  test("includes the session token of a temporary key pair in the signature", async () => {
    const { path, headers, body } = await send(bedrock({ sessionToken: "temporary" }), "m", "{}")
    expect(headers.get("x-amz-security-token")).toBe("temporary")
    const authorization = headers.get("authorization") ?? ""
    expect(authorization).toContain("SignedHeaders=host;x-amz-date;x-amz-security-token")
    expect(authorization).toEndWith(`Signature=${expectedSignature(path, headers, body)}`)
  })

  test("has a different signature for a different body, and has a signature for a GET", async () => {
    const signer = vendorOf("bedrock").signer(bedrock())
    const url = "https://bedrock.us-east-1.amazonaws.com/foundation-models"
    const headersOf = async (body: string, method: "GET" | "POST") =>
      new Headers(await signer.sign({ url, body, method }))
    const get = await headersOf("", "GET")
    get.set("host", "bedrock.us-east-1.amazonaws.com")
    expect(get.get("authorization")).toEndWith(
      expectedSignature("/foundation-models", get, "", "GET"),
    )
    const one = await headersOf("{}", "POST")
    const other = await headersOf("[]", "POST")
    expect(one.get("authorization")).not.toBe(other.get("authorization"))
  })
})

test("an API key for Bedrock is sent unchanged, and takes precedence over a key pair", async () => {
  const { headers } = await send(bedrock({ apiKey: "bedrock-key" }), "m", "{}")
  expect(headers.get("authorization")).toBe("Bearer bedrock-key")
  expect(headers.has("x-amz-date")).toBe(false)
})
