import { expect, test } from "bun:test"
import { MODEL_RULES, RULE_NAMES } from "tollgate-contract/rule-definitions.ts"
import {
  chosen,
  entryWithRules,
  NOTHING,
  optionsOf,
  ruleValues,
} from "../../console/src/pages/models/rule-values.ts"

test("rule overrides are shown and written back unchanged, together with all other settings", () => {
  const entry = {
    price: { input: "1", output: "2" },
    rules: {
      tools: false,
      reasoning: "required",
      rejected_parameters: [],
      reasoning_efforts: ["low", "high"],
      max_user_length: 64,
    },
  }
  const values = ruleValues({ entry })
  expect(values).toEqual({
    tools: "false",
    reasoning: "required",
    rejected_parameters: [NOTHING],
    reasoning_efforts: ["low", "high"],
    max_user_length: "64",
  })
  expect(entryWithRules({ entry }, values)).toEqual(entry)
})

test("an emptied field removes its rule override, and emptying all fields removes the rules section", () => {
  const entry = { multiplier: "2", rules: { tools: true, max_user_length: 64 } }
  const values = { ...ruleValues({ entry }), tools: undefined, max_user_length: "" }
  expect(entryWithRules({ entry }, values)).toEqual({ multiplier: "2" })
  expect(entryWithRules({ entry: null }, {})).toEqual({})
})

test("`nothing` cannot be selected together with other values of a rule", () => {
  expect(chosen([], [NOTHING])).toEqual([NOTHING])
  expect(chosen(["stop"], ["stop", NOTHING])).toEqual([NOTHING])
  expect(chosen([NOTHING], [NOTHING, "stop"])).toEqual(["stop"])
  expect(chosen(["stop"], [])).toBeUndefined()
})

test("every model rule that is not a number has a list of choices", () => {
  for (const name of RULE_NAMES) {
    expect([name, optionsOf(name).length > 1]).toEqual([name, MODEL_RULES[name].type !== "number"])
  }
})
