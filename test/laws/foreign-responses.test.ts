import { afterAll, describe, expect, test } from "bun:test"
import * as z from "zod"
import { fetchFeed } from "../../src/catalog/prices/fetch-feed.ts"
import type { ProviderSettings } from "../../src/config/settings.ts"
import { probeProvider } from "../../src/management/probe.ts"
import { getCosts } from "../../src/management/reconciliation/cost-request.ts"
import { describeIssuer, fetchFromIssuer } from "../../src/users/issuer.ts"
import { requestCredential, requestMetadata } from "../../src/vendors/credential-request.ts"
import { vendors } from "../../src/vendors/index.ts"

// Other servers may send JSON whose parsing takes seconds. Every reader of their responses rejects it before parsing.

const MEGABYTE = 1024 * 1024

/** Texts of a length whose parsing takes much time or memory. */
const BODIES: Readonly<Record<string, (bytes: number) => string>> = {
  "nested lists": (bytes) => "[".repeat(bytes),
  "nested objects": (bytes) => '{"a":'.repeat(bytes / 5),
  "empty objects": (bytes) => `{"data":[${"{},".repeat(bytes / 3)}{}]}`,
  "empty lists": (bytes) => `[${"[],".repeat(bytes / 3)}0]`,
  "long numbers": (bytes) => `{"data":[${"12345678901234567891,".repeat(bytes / 21)}0]}`,
  "short numbers": (bytes) => `[${"0,".repeat(bytes / 2)}0]`,
  "numbered names": (bytes) =>
    `{${Array.from({ length: bytes / 10 }, (_, index) => `"${1_000_000 + index}":0`).join()}}`,
}

interface Reader {
  /** Maximum bytes that the reader accepts. */
  readonly maxBytes: number
  /** Reads a response. Returns the reason of its refusal. */
  readonly read: (url: string) => Promise<unknown>
}

const SERVICE = { name: "The token service" }

const PROVIDER: ProviderSettings = {
  vendor: "openai",
  headers: {},
  knownModels: true,
  origin: "file",
  apiKey: "good",
}

async function reasonOf(reading: Promise<unknown>): Promise<string> {
  return reading.then(
    () => "accepted",
    (error: Error) => `${error.message} ${error.cause instanceof Error ? error.cause.message : ""}`,
  )
}

const READERS: Readonly<Record<string, Reader>> = {
  "a test of a provider": {
    maxBytes: 8 * MEGABYTE,
    async read(baseUrl) {
      const vendor = vendors.get("openai")
      return vendor && (await probeProvider({ ...PROVIDER, baseUrl }, vendor, true)).found
    },
  },
  "a description of an issuer": {
    maxBytes: MEGABYTE,
    read: (issuer) =>
      reasonOf(
        describeIssuer({
          id: "company",
          name: "Our company",
          issuer,
          clientId: "tollgate",
          scopes: ["openid"],
          secondFactor: "required",
          linkUsers: "confirmed",
        }),
      ),
  },
  "a response of an issuer": {
    maxBytes: MEGABYTE,
    read: (url) => reasonOf(fetchFromIssuer(url, {})),
  },
  "a credential": {
    maxBytes: 64 * 1024,
    read: (url) => reasonOf(requestCredential(SERVICE, url, {})),
  },
  "metadata of the machine": {
    maxBytes: 64 * 1024,
    read: (url) => reasonOf(requestMetadata(SERVICE, url, {})),
  },
  "a price list": { maxBytes: 16 * MEGABYTE, read: (url) => reasonOf(fetchFeed(url)) },
  costs: {
    maxBytes: 32 * MEGABYTE,
    read: (baseUrl) =>
      reasonOf(
        getCosts(
          { name: "the API", baseUrl, headers: {}, allowsPrivate: true, keyVariable: "KEY" },
          { path: "/costs", query: {}, shape: z.unknown() },
        ),
      ),
  },
}

const REFUSAL = /too long|too complex|could not be fetched|sent more bytes|sent too much/

let body = ""
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(body, { headers: { "content-type": "application/json" } }),
})
afterAll(() => server.stop(true))

/** Bodies of 64 KB that have few values, so that they are parsed within a millisecond. */
const SIMPLE_IF_SHORT: ReadonlySet<string> = new Set(["long numbers", "numbered names"])

describe.each(Object.entries(READERS))("%s", (_, { maxBytes, read }) => {
  test.each(Object.keys(BODIES))("rejects a body with %s before parsing it", async (name) => {
    body = BODIES[name]?.(Math.min(maxBytes - 100, 24 * MEGABYTE)) ?? ""
    const begin = process.cpuUsage()
    const reason = await read(server.url.origin)
    const { user } = process.cpuUsage(begin)
    if (maxBytes > 64 * 1024 || !SIMPLE_IF_SHORT.has(name)) expect(reason).toMatch(REFUSAL)
    // Most of this time is the server of the test. Parsing takes up to 1,400 ms.
    expect(user / 1_000).toBeLessThan(500)
  })
})
