import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { REJECTED_REQUESTS } from "./rejected-requests.ts"
import { FORMATS, type Format, written } from "./situation.ts"
import { type StrictModel, StrictWorld } from "./strict-world.ts"

/** The formats in which a vendor gets requests as their callers wrote them. */
const OWN: Readonly<Record<string, readonly Format[]>> = {
  openai: ["chat", "responses"],
  azure: ["chat", "responses"],
  anthropic: ["messages"],
  google: ["gemini"],
}

const CASES = REJECTED_REQUESTS.flatMap((row, index) =>
  row.at.map(([vendor, model], place) => ({ ...row, vendor, model, id: `t/${index}-${place}` })),
)

let world: StrictWorld

beforeAll(async () => {
  const models: Record<string, StrictModel> = {}
  for (const { id, vendor, model, lifted } of CASES) {
    models[id] = { vendor, model }
    models[`${id}-lifted`] = { vendor, model, rules: lifted }
  }
  world = await StrictWorld.start(models)
})

afterAll(() => world[Symbol.asyncDispose]())

for (const each of CASES) {
  const { rule, name, vendor, model, id, asked, rejection, loss, unaffected = [] } = each
  const formats = (each.formats ?? FORMATS).filter(
    (format) => written(format, id, asked, false) !== undefined,
  )
  describe(`${rule}${name === undefined ? "" : ` (${name})`} at ${vendor}/${model}`, () => {
    test.each(formats)("fits a request in the format %s, whole and streamed", async (format) => {
      const isOwn = OWN[vendor]?.includes(format) === true
      for (const stream of [false, true]) {
        const outcome = await world.ask(format, id, asked, stream)
        if (isOwn && outcome?.status === 400) {
          expect(outcome.text).toMatch(rejection)
          continue
        }
        expect([outcome?.status, outcome?.status === 200 ? "" : outcome?.text]).toEqual([200, ""])
        if (isOwn) continue
        if (loss === null) expect(outcome?.losses).toBe("")
        else expect(outcome?.losses).toContain(loss)
      }
    })

    const rejected = formats.filter((format) => !unaffected.includes(format))
    test.each(rejected)("is rejected in the format %s if the settings lift it", async (format) => {
      const outcome = await world.ask(format, `${id}-lifted`, asked, false)
      expect([outcome?.status, outcome?.text]).toEqual([400, expect.stringMatching(rejection)])
    })
  })
}
