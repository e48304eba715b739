import { describe, expect, test } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import {
  keyId,
  publicText,
  readFeed,
  writeFeed,
  PROJECT_KEYS,
} from "../../src/catalog/prices/feed.ts"
import { fetchFeed } from "../../src/catalog/prices/fetch-feed.ts"
import { factsPath } from "./known-facts.ts"

const { privateKey } = generateKeyPairSync("ed25519")
const KEY = publicText(privateKey)
const other = generateKeyPairSync("ed25519").privateKey
const NOW = Date.parse("2026-12-01T12:00:00Z")

function facts(more: object = {}, price: object = { input: "1", output: "2" }): string {
  const vendors = { openai: { "gpt-7": { kind: "chat", price } } }
  return JSON.stringify({ date: "2026-12-01", generated_from: [], vendors, ...more })
}

describe("the check of signed price lists", () => {
  test("accepts a signature by one of several trusted keys", () => {
    const feed = writeFeed(facts(), privateKey)
    const read = readFeed(feed, [...PROJECT_KEYS, publicText(other), KEY], NOW)
    expect(read.date).toBe("2026-12-01")
    expect(read.vendors["openai"]?.["gpt-7"]?.price).toEqual({ input: "1", output: "2" })
  })

  test("accepts a signed list of the built-in facts and reads it unchanged", async () => {
    const feed = writeFeed(await Bun.file(factsPath).text(), privateKey)
    expect(Object.keys(readFeed(feed, [KEY], NOW).vendors)).toContain("anthropic")
  })

  test("rejects a list if a single character was changed after signing", () => {
    const feed = writeFeed(facts(), privateKey)
    const cheaper = feed.replace('\\"output\\":\\"2\\"', '\\"output\\":\\"1\\"')
    expect(cheaper).not.toBe(feed)
    expect(() => readFeed(cheaper, [KEY], NOW)).toThrow("its signature is wrong")
  })

  test("rejects a list without a trusted signature, even if it names a trusted key", () => {
    const foreign = writeFeed(facts(), other)
    expect(() => readFeed(foreign, [...PROJECT_KEYS, KEY], NOW)).toThrow("not trusted here")
    const pretends = JSON.stringify({ ...JSON.parse(foreign), key: keyId(KEY) })
    expect(() => readFeed(pretends, [KEY], NOW)).toThrow("its signature is wrong")
    const unsigned = JSON.stringify({ ...JSON.parse(foreign), key: keyId(KEY), signature: "" })
    expect(() => readFeed(unsigned, [KEY], NOW)).toThrow("its signature is wrong")
  })

  test("rejects a list with a future date, because it would block later lists", () => {
    const feed = writeFeed(facts({ date: "2026-12-03" }), privateKey)
    expect(() => readFeed(feed, [KEY], NOW)).toThrow("in the future")
    expect(readFeed(writeFeed(facts({ date: "2026-12-02" }), privateKey), [KEY], NOW).date).toBe(
      "2026-12-02",
    )
  })

  test("rejects a list with invalid content and reports the fault", () => {
    const bad = (content: string) => () => readFeed(writeFeed(content, privateKey), [KEY], NOW)
    expect(bad("{}")).toThrow("date")
    expect(bad("no JSON")).toThrow("it is not JSON")
    expect(bad(facts({}, { input: "-1" }))).toThrow("vendors.openai.gpt-7.price.input")
    expect(bad(facts({}, { input: "1e9" }))).toThrow("is not a price")
    expect(bad(facts({}, { input: 1 }))).toThrow("vendors.openai.gpt-7.price.input")
    expect(bad(facts({ date: "soon" }))).toThrow("date")
    for (const minimum_seconds of ["0", "0.5", "3601", 10]) {
      const place = "vendors.openai.gpt-7.price.minimum_seconds"
      expect(bad(facts({}, { second: "1", minimum_seconds }))).toThrow(place)
    }
  })

  test("rejects the whole list if one price has an invalid period", () => {
    const read = (...periods: object[]) =>
      readFeed(writeFeed(facts({}, { input: "1", output: "2", periods }), privateKey), [KEY], NOW)
    const peak = { name: "peak", zone: "Asia/Shanghai", hours: ["09:00-12:00"], input: "2" }
    const later = { from: "2027-01-01", until: "2027-03-01T08:00:00Z", modes: { fast: "2" } }
    const price = read(peak).vendors["openai"]?.["gpt-7"]?.price
    expect(price?.periods).toEqual([peak])
    expect(read(later).vendors["openai"]?.["gpt-7"]?.price?.periods).toEqual([later])
    const place = "vendors.openai.gpt-7.price.periods"
    const bad: [object[], string][] = [
      [[peak, later], `${place}.1 applies at the same time as periods[0]`],
      [[{ ...peak, zone: "Mars/Base" }], `${place}.0.zone is not a known time zone`],
      [[{ ...peak, hours: ["12:00-09:00"] }], `${place}.0.hours.0 ends before it begins`],
      [[{ ...peak, days: ["monday"] }], `${place}.0.days.0`],
      [[{ ...later, until: "2026-12-01" }], `${place}.0.until is not after 'from'`],
      [[{ ...later, from: "soon" }], `${place}.0.from must be a moment`],
      [[{ ...peak, input: "-2" }], `${place}.0.input is not a price`],
      [[{ input: "2" }], `${place}.0 applies always`],
      [[{ days: ["mon"] }], `${place}.0 changes no price`],
    ]
    for (const [periods, fault] of bad) expect(() => read(...periods)).toThrow(fault)
  })

  test("rejects a file of another format", () => {
    expect(() => readFeed("<html>", [KEY], NOW)).toThrow("it is not a price list: not JSON")
    expect(() => readFeed("[]", [KEY], NOW)).toThrow("not a price list of the format")
    expect(() => readFeed(facts(), [KEY], NOW)).toThrow("not a price list of the format")
  })

  test("accepts and keeps an unknown price class", () => {
    const feed = writeFeed(facts({}, { input: "1", thought: "3" }), privateKey)
    const read = readFeed(feed, [KEY], NOW)
    expect(read.vendors["openai"]?.["gpt-7"]?.price?.["thought"]).toBe("3")
  })

  test("has two different project keys, so that the project can replace a key", () => {
    expect(new Set(PROJECT_KEYS.map(keyId)).size).toBe(2)
  })
})

describe("a download of a price list", () => {
  test("hides secrets of the URL in its error", async () => {
    using server = Bun.serve({ port: 0, fetch: () => new Response("no", { status: 404 }) })
    const address = `http://user:secret@127.0.0.1:${server.port}/prices.json?token=secret`
    const shown = `http://127.0.0.1:${server.port}/prices.json`
    await expect(fetchFeed(address)).rejects.toThrow(`${shown} answered with status 404`)
    await server.stop(true)
    await expect(fetchFeed(address)).rejects.toThrow(`${shown} cannot be reached`)
    await expect(fetchFeed("/nowhere/prices.json")).rejects.toThrow("there is no file")
  })

  test("stops at the maximum length of a list", async () => {
    const chunk = new Uint8Array(1 << 20)
    using server = Bun.serve({
      port: 0,
      fetch: () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(chunk) })),
    })
    await expect(fetchFeed(`http://127.0.0.1:${server.port}/`)).rejects.toThrow(
      "more bytes than a price list",
    )
  })
})
