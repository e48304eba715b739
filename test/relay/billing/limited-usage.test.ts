import { expect, test } from "bun:test"
import { USAGE_CLASSES } from "tollgate-contract/usage-classes.ts"
import { NO_USAGE } from "../../../src/canon/usage.ts"
import { cappedAt } from "../../../src/relay/billing/usage-bound.ts"

/** Classes that vendors report. Requests are not included, because the gateway counts them by call. */
const REPORTED = USAGE_CLASSES.filter((usageClass) => !/request/i.test(usageClass))

test.each([...REPORTED])("usage above its bound is reduced to the bound: %s", (usageClass) => {
  const max = { ...NO_USAGE, [usageClass]: 3 }
  expect(cappedAt(max, { ...NO_USAGE, [usageClass]: 10 })).toEqual(max)
})

test("usage within its bound is unchanged", () => {
  const usage = { ...NO_USAGE, ...Object.fromEntries(REPORTED.map((name) => [name, 1])) }
  expect(cappedAt(usage, usage)).toBe(usage)
})
