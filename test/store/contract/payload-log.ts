import { expect, test } from "bun:test"
import type { ContentRecord } from "../../../src/store/payload-log.ts"
import type { Engine } from "../engines.ts"
import { TemporaryDirectory } from "../test-database.ts"

function content(request: string, more: Partial<ContentRecord> = {}): ContentRecord {
  return { request, account: "ann", at: 1_000, asked: '{"a":1}', answered: null, ...more }
}

/** Tests that an engine fulfills this contract. */
export function payloadLogContract(engine: Engine): void {
  test("stored content is read unchanged, and replaced by later content", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const { payloads } = served
    expect(await payloads.find("req_1")).toBeNull()
    await payloads.sweep(9_000)
    const text = JSON.stringify({ text: "größe\0\ud800'\"\\\n{}", long: "x".repeat(2_000_000) })
    const first = content("req_1", { asked: text, answered: text })
    await payloads.keep(first)
    await payloads.keep(content("req_2"))
    expect(await payloads.find("req_1")).toEqual(first)
    expect(await payloads.find("req_2")).toEqual(content("req_2"))
    const again = content("req_1", { answered: "[]", at: 2_000 })
    await payloads.keep(again)
    expect(await payloads.find("req_1")).toEqual(again)
  })

  test("any amount of content older than a given time is deleted", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const { payloads } = served
    const all = Array.from({ length: 1_100 }, (_, index) => content(`req_${index}`, { at: index }))
    for (let done = 0; done < all.length; done += 100) {
      await Promise.all(all.slice(done, done + 100).map((one) => payloads.keep(one)))
    }
    await using other = await engine.serve(directory.path)
    await Promise.all([payloads.sweep(1_050), other.payloads.sweep(1_050)])
    expect(await payloads.find("req_1049")).toBeNull()
    expect(await other.payloads.find("req_0")).toBeNull()
    expect((await payloads.find("req_1050"))?.at).toBe(1_050)
  })
}
