import { afterAll, beforeAll, expect, test } from "bun:test"
import { DIALECT_REQUESTS } from "./dialect-requests.ts"
import { expressible, type Format } from "./situation.ts"
import { type StrictModel, StrictWorld } from "./strict-world.ts"

/** The native formats of vendors that have a format of their own. */
const OWN: Readonly<Record<string, Format>> = { anthropic: "messages", google: "gemini" }

const CASES = DIALECT_REQUESTS.flatMap((row, index) =>
  row.at.map(([vendor, model], place) => ({ ...row, vendor, model, id: `t/${index}-${place}` })),
)

let world: StrictWorld

beforeAll(async () => {
  const models = CASES.map(({ id, vendor, model }): [string, StrictModel] => [
    id,
    { vendor, model },
  ])
  world = await StrictWorld.start(Object.fromEntries(models))
})

afterAll(() => world[Symbol.asyncDispose]())

for (const each of CASES) {
  const { name, vendor, model, id, asked, rejection, loss } = each
  const own = OWN[vendor]

  test(`${name} at ${vendor}/${model} is rejected by the provider`, async () => {
    const outcome = await world.askVendor(own ?? "chat", { vendor, model }, asked)
    expect(outcome?.status).toBeOneOf([400, 422])
    expect(outcome?.text).toMatch(rejection)
  })

  test(`${name} at ${vendor}/${model} is corrected in every format, whole and streamed`, async () => {
    const formats = expressible(asked).filter(
      (format) => format !== own && (each.formats?.includes(format) ?? true),
    )
    for (const { format, ...outcome } of await world.askAll(formats, id, asked)) {
      const losses = typeof loss === "string" ? expect.stringContaining(loss) : loss
      expect({ format, ...outcome }).toEqual({
        format,
        status: 200,
        text: expect.any(String),
        losses: loss === undefined ? expect.any(String) : (losses ?? ""),
      })
    }
  })
}
