import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { COUNTERS, GAUGES, HISTOGRAMS } from "../../src/metrics/definitions.ts"

test("docs/reference/metrics.md has every metric with its labels and description", () => {
  const page = readFileSync(new URL("../../docs/reference/metrics.md", import.meta.url), "utf8")
  const rows: string[] = []
  for (const [name, metric] of Object.entries({ ...COUNTERS, ...HISTOGRAMS, ...GAUGES })) {
    const labels = "labels" in metric ? metric.labels.map((label) => `\`${label}\``) : []
    rows.push(`| \`${name}\` | ${labels.join(", ")} | ${metric.help} |`)
  }
  expect(page.split("\n").filter((line) => line.startsWith("| `tollgate_"))).toEqual(rows)
})
