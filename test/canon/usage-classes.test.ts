import { expect, test } from "bun:test"
import { INPUT_CLASSES, OUTPUT_CLASSES, USAGE_CLASSES } from "tollgate-contract/usage-classes.ts"
import { isNoUsage, NO_USAGE, totalInput, totalOutput } from "../../src/canon/usage.ts"

test.each([...USAGE_CLASSES])(
  "usage class %s is counted as defined in the table of classes",
  (usageClass) => {
    const usage = { ...NO_USAGE, [usageClass]: 7 }
    expect(totalInput(usage)).toBe(INPUT_CLASSES.includes(usageClass) ? 7 : 0)
    expect(totalOutput(usage)).toBe(OUTPUT_CLASSES.includes(usageClass) ? 7 : 0)
    // A request is counted in addition to all other usage.
    expect(isNoUsage(usage)).toBe(/request/i.test(usageClass))
  },
)

test("usage without counts is detected as empty, and its totals are zero", () => {
  expect(isNoUsage(NO_USAGE)).toBe(true)
  expect(totalInput(NO_USAGE) + totalOutput(NO_USAGE)).toBe(0)
})
