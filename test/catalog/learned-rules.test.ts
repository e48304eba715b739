import { expect, test } from "bun:test"
import { LearnedRules } from "../../src/catalog/learned-rules.ts"
import type { Deployment } from "../../src/catalog/model.ts"

function deployment(model: string, more: Partial<Deployment> = {}): Deployment {
  return { id: `p/${model}`, provider: "p", upstreamModel: model, weight: 1, ...more }
}

test("a learned rule applies to its deployment only, and is reported once", () => {
  const reported: unknown[] = []
  const learned = new LearnedRules((...facts) => reported.push(facts))
  const rules = { max_user_length: 64, rejected_parameters: ["seed"] } as const
  const one = deployment("one", { rules })
  expect(learned.of(one)).toBe(one)
  learned.learn(one, { rejected_parameters: ["temperature"] })
  learned.learn(one, { rejected_parameters: ["temperature"] })
  expect(learned.of(one).rules).toEqual({
    max_user_length: 64,
    rejected_parameters: ["seed", "temperature"],
  })
  expect(learned.of(one)).toBe(learned.of(one))
  const credential = { ...one, id: "p/one#second" }
  expect(learned.of(credential).rules).toEqual(learned.of(one).rules)
  const other = deployment("other")
  expect(learned.of(other)).toBe(other)
  expect(reported).toEqual([["p/one", "rejected_parameters", "temperature"]])
})

test("a rule in the settings takes precedence over a learned rule", () => {
  const learned = new LearnedRules()
  learned.learn(deployment("one"), { tools: false, max_tokens_field: "max_tokens" })
  const pinned = deployment("one", { rules: { tools: true }, enforced: { tools: true } })
  expect(learned.of(pinned).rules).toEqual({ tools: true, max_tokens_field: "max_tokens" })
  const origins = { tools: { source: "settings" } } as const
  expect(learned.list({ ...pinned, ruleOrigins: origins })).toEqual([
    { name: "tools", value: true, source: "settings", note: null },
    {
      name: "max_tokens_field",
      value: "max_tokens",
      source: "learned",
      note: expect.stringMatching(/^\d{4}-/),
    },
  ])
})

test("the number of deployments with learned rules is limited, even if callers request unknown models", () => {
  const learned = new LearnedRules()
  for (let index = 0; index < 200; index++) {
    learned.learn(deployment(`assumed-${index}`, { isAssumed: true }), { tools: false })
  }
  const has = (model: string) => learned.of(deployment(model)).rules !== undefined
  expect([has("assumed-99"), has("assumed-100")]).toEqual([true, false])
  for (let index = 0; index < 1_000; index++) {
    learned.learn(deployment(`known-${index}`), { tools: false })
  }
  expect([has("known-899"), has("known-900")]).toEqual([true, false])
})
