import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { MODEL_RULES, RULE_NAMES, type RuleDefinition } from "tollgate-contract/rule-definitions.ts"
import type { ModelRules } from "tollgate-contract/model-rules.ts"
import facts from "../../src/catalog/facts.json" with { type: "json" }
import type { Facts } from "../../src/catalog/facts.ts"
import { resolveRules } from "../../src/catalog/model-rules.ts"
import { problems } from "../config/harness.ts"
import { REJECTED_REQUESTS } from "./rejected-requests.ts"
import { expressible, type Situation } from "./situation.ts"
import { type StrictModel, StrictWorld } from "./strict-world.ts"

describe("validation of rule values", () => {
  const wrongValues = ({ type, range, mayBeEmpty }: RuleDefinition): readonly unknown[] => {
    switch (type) {
      case "flag":
        return ["maybe", 1]
      case "number":
        return ["many", (range?.[0] ?? 0) - 1, (range?.[1] ?? 0) + 1, 64.5]
      case "choice":
        return ["other", ["any"]]
      case "list":
        return [["other"], "other", ...(mayBeEmpty === true ? [] : [[]])]
    }
  }

  test.each(RULE_NAMES.map((name) => [name]))("rejects invalid values of %s", (name) => {
    for (const value of wrongValues(MODEL_RULES[name])) {
      const rules = JSON.stringify({ [name]: value })
      const found = problems(`
providers:
  p: { vendor: openai-compatible, base_url: "http://127.0.0.1:1/v1" }
models:
  p/m: { rules: ${rules}, deployments: [{ provider: p, rules: ${rules} }] }
`)
      const places = [`models.p/m.rules.${name}`, `models.p/m.deployments[0].rules.${name}`]
      for (const place of places) {
        expect([value, found.filter((problem) => problem.includes(` ${place}`))]).toEqual([
          value,
          [expect.stringMatching(/: \S/)],
        ])
      }
    }
  })

  test("rejects an unknown rule", () => {
    const found = problems(`
providers:
  p: { vendor: openai-compatible, base_url: "http://127.0.0.1:1/v1" }
models:
  p/m: { rules: { max_tool: 5 } }
`)
    expect(found.join()).toContain("max_tool")
  })
})

const KNOWN = (facts as unknown as Facts).vendors
/** Vendors that are excluded, because they have other formats or reject fields that no rule covers (Mistral). */
const NOT_WRITTEN: ReadonlySet<string> = new Set([
  "anthropic",
  "bedrock",
  "google",
  "mistral",
  "vertex",
])

/** Rules of known models, written in the settings of an unknown server. */
const WRITTEN = REJECTED_REQUESTS.flatMap((row, index) => {
  if (row.rule === "tool_api") return []
  return row.at.flatMap(([vendor, model], place) => {
    const { rules } = resolveRules({ vendor, model, facts: KNOWN[vendor]?.[model], written: [] })
    const value = rules?.[row.rule]
    if (NOT_WRITTEN.has(vendor) || value === undefined) return []
    const needed: ModelRules = { ...rules, ...({ [row.rule]: value } as ModelRules) }
    return [{ ...row, vendor, model, id: `w/${index}-${place}`, rules: needed }]
  })
})

interface SetRule {
  readonly rules: ModelRules
  readonly asked: Situation
  readonly sent: object
  readonly losses: string
  readonly path?: string
}

const HELLO = [{ role: "user", content: "Hello" }]
const LOOK = [{ name: "look" }]

/** Rules that can be set only in the settings. */
const SET: readonly SetRule[] = [
  {
    rules: { tools: false },
    asked: { tools: LOOK },
    sent: { messages: HELLO },
    losses: "tools:dropped",
  },
  {
    rules: { reasoning_off: "thinking" },
    asked: { effort: "none" },
    sent: { thinking: { type: "disabled" } },
    losses: "",
  },
  {
    rules: { reasoning_off: "enable_thinking" },
    asked: { effort: "none" },
    sent: { enable_thinking: false },
    losses: "",
  },
  {
    rules: { default_effort: "none", tool_choice_with_reasoning: false },
    asked: { tools: LOOK, choice: "required" },
    sent: { tool_choice: "required" },
    losses: "",
  },
  {
    rules: { answer_formats: [], schema_as_tool: true },
    asked: { schema: { type: "object", properties: { a: { type: "string" } } } },
    sent: { tool_choice: { type: "function", function: { name: expect.any(String) } } },
    losses: "json_schema:approximated",
  },
]

let world: StrictWorld

beforeAll(async () => {
  const configured = "openai-compatible"
  const models: Record<string, StrictModel> = {}
  for (const { id, vendor, model, rules } of WRITTEN)
    models[id] = { vendor, model, rules, configured }
  for (const [index, { rules }] of SET.entries()) {
    models[`s/${index}`] = { vendor: "vllm", model: "any", rules, configured }
  }
  world = await StrictWorld.start(models)
})

afterAll(() => world[Symbol.asyncDispose]())

describe("a rule in the settings for an unknown server", () => {
  for (const { rule, name = "", vendor, model, id, asked, loss, ...row } of WRITTEN) {
    test(`corrects requests: ${rule} ${name} like ${vendor}/${model}`, async () => {
      const formats = expressible(asked).filter((format) => row.formats?.includes(format) ?? true)
      for (const { format, ...outcome } of await world.askAll(formats, id, asked, [true])) {
        expect({ format, ...outcome }).toEqual({
          format,
          status: 200,
          text: expect.any(String),
          losses: loss === null ? expect.any(String) : expect.stringContaining(loss),
        })
      }
    })
  }

  for (const [index, { rules, asked, sent, losses }] of SET.entries()) {
    test(`corrects requests: ${Object.keys(rules).join(" and ")}`, async () => {
      const [outcome] = await world.askAll(["chat"], `s/${index}`, asked, [false])
      expect([outcome?.status, outcome?.losses]).toEqual([200, losses])
      expect(world.lastSent.body).toMatchObject(sent)
    })
  }
})
