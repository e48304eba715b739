import { afterAll, beforeAll, expect, test } from "bun:test"
import { RULE_NAMES } from "tollgate-contract/rule-definitions.ts"
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts"
import { REJECTED_REQUESTS } from "./rejected-requests.ts"
import { expressible, OWN_FORMATS } from "./situation.ts"
import { type StrictModel, StrictWorld } from "./strict-world.ts"

const CASES = REJECTED_REQUESTS.flatMap((row, index) =>
  row.at.map(([vendor, model], place) => {
    const { rule, name } = row
    const title = `${rule}${name === undefined ? "" : ` (${name})`} at ${vendor}/${model}`
    const isChosen = IS_EXHAUSTIVE || place === index % row.at.length
    return { ...row, vendor, model, title, id: `t/${index}-${place}`, isChosen }
  }),
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

// `npm test` tries each row at one of its models.
for (const each of CASES.filter(({ isChosen }) => isChosen)) {
  const { title, vendor, id, asked, rejection, loss, unaffected = [] } = each
  const formats = expressible(asked).filter((format) => each.formats?.includes(format) ?? true)

  test(`${title}: the gateway corrects the request in every format, whole and streamed`, async () => {
    const outcomes = await world.askAll(formats, id, asked)
    for (const { format, ...outcome } of outcomes) {
      const isOwn = OWN_FORMATS[vendor]?.includes(format) === true
      if (isOwn && outcome.status === 400) {
        expect([format, outcome.text]).toEqual([format, expect.stringMatching(rejection)])
        continue
      }
      const losses = loss === null ? "" : expect.stringContaining(loss)
      expect({ format, ...outcome }).toEqual({
        format,
        status: 200,
        text: expect.any(String),
        losses: isOwn ? expect.any(String) : losses,
      })
    }
  })

  test(`${title}: the provider rejects the request if the settings remove the rule`, async () => {
    const rejected = formats.filter((format) => !unaffected.includes(format))
    const outcomes = await world.askAll(rejected, `${id}-lifted`, asked, [false])
    for (const { format, status, text } of outcomes) {
      expect([format, status, text]).toEqual([format, 400, expect.stringMatching(rejection)])
    }
  })
}

/** Rules that cause no rejection. They are tested in settings.test.ts and pdf-engine.test.ts. */
const UNSET = [
  "api",
  "tools",
  "default_effort",
  "max_tokens_field",
  "schema_as_tool",
  "pdf_engine",
  "server_order",
]

test("every built-in model rule is in the table", () => {
  const tried = new Set<string>([...CASES.map(({ rule }) => rule), ...UNSET])
  expect(RULE_NAMES.filter((rule) => !tried.has(rule))).toEqual([])
})
