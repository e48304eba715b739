import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { GEN_AI_HISTOGRAMS } from "../../src/metrics/definitions.ts"
import { ATTRIBUTES, LABEL_ATTRIBUTES, metricName } from "../../src/otlp/names.ts"

function page(name: string): string[] {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8").split("\n")
}

test("docs/run/tracing.md has exactly the attributes of the code", () => {
  const rows = page("run/tracing.md").filter((line) => line.startsWith("| `"))
  const named = rows.flatMap((row) => row.split("|")[1]?.match(/[a-z_.]+/g) ?? [])
  expect(named.toSorted()).toEqual(Object.values(ATTRIBUTES).toSorted())
})

test("docs/reference/metrics.md has the metrics of the conventions with their attributes", () => {
  const rows = Object.entries(GEN_AI_HISTOGRAMS).map(([prometheus, { help, labels }]) => {
    const attributes = labels.map((label) => `\`${LABEL_ATTRIBUTES[label] ?? label}\``)
    const { name } = metricName(prometheus)
    return `| \`${name}\` | \`${prometheus}\` | ${attributes.join(", ")} | ${help} |`
  })
  expect(page("reference/metrics.md").filter((line) => line.startsWith("| `gen_ai"))).toEqual(rows)
})
